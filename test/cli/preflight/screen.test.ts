import { describe, expect, it } from 'vitest'
import type { Check, PreflightReport } from '../../../src/cli/preflight/report.js'
import { obstacles, reportJson } from '../../../src/cli/preflight/report.js'
import { screenLines } from '../../../src/cli/preflight/screen.js'
import { widthOf } from '../../../src/cli/text-width.js'

const paint = (_style: unknown, text: string): string => text
const names = ['program', 'hosts', 'calls', 'data', 'rewards', 'kill', 'bill'] as const

/** A report in which all is wrong, each with a long text. */
function wrong(command: readonly string[]): PreflightReport {
  const text = 'What it did is said here at length, with a number such as 17. '.repeat(8)
  const more = ['npx', 'svtrain-emulator', 'exec', '--intercept', '--', ...command]
  const checks = names.map((name): Check => ({ name, state: 'no-go', text, more }))
  return { command, checks, bill: undefined, took: [4000, 6000] }
}

describe('the report of preflight', () => {
  it.each([
    ['a short command', ['python', 'train.py']],
    [
      'a long command',
      ['python', ...Array.from({ length: 40 }, (_, at) => `--option-${at}=value`)],
    ],
    ['a long path', [`/home/${'deep/'.repeat(60)}python`, 'train.py']],
  ])('fits on a screen of 80 columns and 24 lines, with the next prompt: %s', (_name, command) => {
    const lines = screenLines(wrong(command), { paint, columns: () => 80 })
    expect(lines.length).toBeLessThan(24)
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(80)
    expect(lines.filter((line) => line.startsWith('no-go'))).toHaveLength(names.length)
    expect(lines.at(-1)).toBe('2 runs took 10.0s; the first one, without a kill, took 4.0s.')
  })

  it('shows whole commands to paste if there is room', () => {
    const command = ['python', 'train.py', '--steps', '3']
    const more = ['npx', 'svtrain-emulator', 'exec', '--checks', '--intercept', '--', ...command]
    const checks: Check[] = [
      { name: 'program', state: 'go', text: 'It ended.' },
      { name: 'calls', state: 'no-go', text: 'A job was polled after its end.', more },
    ]
    const report = { command, checks, bill: undefined, took: [1000] }
    expect(screenLines(report, { paint, columns: () => 80 }).join('\n')).toBe(`\
Preflight of python train.py --steps 3

go           program  It ended.
no-go        calls    A job was polled after its end.
  npx svtrain-emulator exec --checks --intercept -- python train.py --steps 3

No-go: calls.
1 run took 1.0s; the first one, without a kill, took 1.0s.`)
  })

  it('leaves out nothing in a file', () => {
    const report = wrong(['python', ...Array.from({ length: 40 }, () => '--option')])
    const text = screenLines(report, { paint }).join('\n')
    expect(text).not.toContain('…')
    expect(text.split(report.checks[0]!.text.trim())).toHaveLength(names.length + 1)
  })

  it('says no-go if something could not be judged, unless the user left it out', () => {
    const unknown: Check = { name: 'kill', state: 'not checked', text: 'It makes no call.' }
    const chosen: Check = {
      name: 'bill',
      state: 'not checked',
      text: 'No budget.',
      isOptional: true,
    }
    const of = (...checks: Check[]) => ({ command: ['a'], checks, bill: undefined, took: [1] })
    expect(obstacles(of(chosen))).toEqual([])
    expect(obstacles(of(chosen, unknown))).toEqual([unknown])
    expect(screenLines(of(unknown), { paint }).at(-2)).toBe('No-go: not checked: kill.')
    expect(reportJson(of(unknown))).toMatchObject({
      go: false,
      checks: [{ name: 'kill', state: 'not checked', optional: false, more: null }],
    })
  })
})
