import { expect, it } from 'vitest'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandFor, repeat, type ExploreStart } from '../../../../src/cli/tools/explore/repeat.js'
import { timeFor } from '../../../../src/cli/tools/explore/run.js'
import { temporaryFolderOfSuite } from '../../../support/temporary-folder.js'
import { observation } from '../../../tools/explore/observation.js'
import { failureWith } from './failure-with.js'

const start: ExploreStart = {
  args: { '--': ['node', 'loop.mjs'] } as unknown as ExploreStart['args'],
  runner: { timeout: 30_000 } as ExploreStart['runner'],
  program: 'npx svtrain-emulator',
}

/** A failure whose title quotes an error of the program, which may have any words. */
const failure = failureWith({
  title: 'the code failed: Error: cannot start work again, although no job succeeded',
  seed: 7,
})

it('repeats a failure with exec, unless only a comparison shows it, whatever its title says', () => {
  const end = '--seed 7 --clock instant --checks --timeout 30s -- node loop.mjs'
  const repeated = commandFor(failure, 'a.yaml', start)
  expect(repeated).toMatch(/^npx svtrain-emulator exec --scenario a\.yaml /)
  expect(repeated.split(' ').sort()).toEqual(
    `npx svtrain-emulator exec --scenario a.yaml ${end}`.split(' ').sort(),
  )
  const compared = commandFor({ ...failure, needsBaseline: true }, 'a.yaml', start)
  expect(compared).toMatch(/^npx svtrain-emulator explore .*--runs 2 /)
  expect(compared).toContain('--scenario a.yaml ')
})

const folder = temporaryFolderOfSuite()

it.each([
  ['503', true],
  ['500', true],
  ['404', false],
])('has failed again after %s: %s, although the error has other words', async (outcome, failed) => {
  const file = join(folder, 'small.yaml')
  writeFileSync(file, 'name: small')
  const problem = { operation: 'createModel', outcome, times: 1, recovered: false }
  const result = { ended: 'error', error: `HTTP ${outcome}`, took: 5 } as const
  const ended = {
    result: { ...result, observed: observation({ problem }) },
    evidence: { code: 1, stdout: '', stderr: '', trace: '' },
    isStuckCopy: false,
  }
  const runner = { repeat: () => Promise.resolve(ended) } as unknown as ExploreStart['runner']
  const { signal } = new AbortController()
  expect(await repeat(failureWith(), { runner, file, signal })).toMatchObject({ failed })
})

it.each([
  [30 * 86_400_000, false],
  [60 * 86_400_000, false],
  [1500.5, false],
  [0, true],
])('with %d ms left, the time is over at once: %s', async (left, isOver) => {
  const { signal, end } = timeFor(left, { baseline: undefined })
  await new Promise(setImmediate)
  expect(signal.aborted).toBe(isOver)
  end()
})
