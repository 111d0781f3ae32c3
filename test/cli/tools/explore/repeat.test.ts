import { expect, it } from 'vitest'
import { commandFor, type ExploreStart } from '../../../../src/cli/tools/explore/repeat.js'
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
