import { counted } from '../../base/text/counted.js'
import type { Emulator } from '../../emulator/emulator.js'
import { usedWorlds } from '../../emulator/testing/trace.js'
import { skippedOutagesIn, unappliedIn } from '../../emulator/testing/unapplied.js'
import type { Engine } from '../../service/engine/engine.js'
import { builtInScenarioNames } from '../../service/scenario/built-in-names.js'

/**
 * What a program may not notice, a line for each: jobs that trained nothing, and faults that did not do what was meant.
 * The report on one that failed lists the faults that changed nothing.
 */
export function unnoticedLines(emulator: Emulator, { failed }: { failed: boolean }): string[] {
  const lines = usedWorlds(emulator).flatMap((world) => [
    ...untrainedLines(world.engine),
    ...(failed ? [] : unappliedLines(world)),
    ...skippedOutagesIn(world).map(({ which, lasts }) => {
      const clock = world.engine.clock.mode
      return `The fault ${which} hit one call: the clock ${clock} skips the rest of its ${lasts}. --clock real makes it last; \`calls: 10\` in place of \`during\` hits ten calls.`
    }),
  ])
  return [...new Set(lines)]
}

function untrainedLines({ store }: Engine): string[] {
  const reasons = [...store.jobs.values()].flatMap(({ status, gradientSteps, submission }) => {
    return status === 'ended' && gradientSteps === 0 ? (submission.nothingToTrain ?? []) : []
  })
  return Array.from(new Set(reasons), (why) => {
    const jobs = counted(reasons.filter((each) => each === why).length, 'job')
    return `${jobs} trained nothing: ${why}.`
  })
}

/** A built-in scenario has faults for calls that few programs make: only if none applies, it shows nothing. */
function unappliedLines(world: Emulator): string[] {
  const { scenario, faults } = world.engine
  const isBuiltIn = builtInScenarioNames.some((name) => name === scenario.name)
  if (isBuiltIn && faults.all.some(({ hits }) => hits > 0)) return []
  return unappliedIn(world).map(({ which, why }) => `Nothing came of ${which}: ${why}.`)
}
