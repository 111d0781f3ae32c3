import { expect, it } from 'vitest'
import type { Trial } from '../../../../src/tools/explore/exploration.js'
import { Progress } from '../../../../src/cli/tools/explore/progress.js'
import type { Terminal } from '../../../../src/cli/terminal.js'

/** The status area of a terminal while trials run. */
function shownWhile(trials: readonly Pick<Trial, 'kind' | 'name'>[]): string[] {
  let shown: string[] = []
  const terminal = {
    write() {},
    paint: (_style: unknown, text: string) => text,
    statusArea: {
      show: (lines: (size: { columns: number }) => string[]) => (shown = lines({ columns: 80 })),
    },
  } as unknown as Terminal
  const running = (): Trial[] => trials as Trial[]
  const progress = new Progress({ terminal, runs: 50, time: 600_000, running })
  const first = shown
  progress.stop()
  return first
}

it('the plan has no codes of terminals that a name has', () => {
  const lines: string[] = []
  const terminal = { write: (line: string) => lines.push(line) } as unknown as Terminal
  const progress = new Progress({ terminal, runs: 2, time: 1000, running: () => [] })
  progress.plan({ took: 5, time: 1000, planned: 1, fits: 1, first: [{ name: '\u001b[31mred' }] })
  expect(lines.at(-1)).toBe('  \\u001b[31mred')
})

it('the status area names the scenarios that run', () => {
  const trials = [
    { kind: 'scenario', name: 'two-jobs' },
    { kind: 'faults', name: 'faults 3' },
  ] as const
  expect(shownWhile(trials)).toEqual([
    expect.stringMatching(/^0 of 50 runs, no failure, at most 10m\S* left$/),
    'Running: two-jobs, faults 3',
  ])
})

it('the status area does not name a scenario that only becomes smaller', () => {
  const [, second] = shownWhile([{ kind: 'shrink', name: 'two-jobs' }])
  expect(second).toBe('Looking for smaller scenarios')
})

it('the status area says that nothing runs yet', () => {
  expect(shownWhile([])[1]).toBe('Starting')
})
