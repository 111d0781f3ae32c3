import { counted, countsOf } from '../../base/text/counted.js'
import type { Emulator } from '../../emulator/emulator.js'
import { usedWorlds } from '../../emulator/testing/trace.js'
import { skippedOutagesIn } from '../../emulator/testing/unapplied.js'
import { unappliedTexts } from '../../emulator/testing/unnoticed.js'
import type { Engine } from '../../service/engine/engine.js'

/**
 * What a program may not notice, a line for each: what faults did, jobs that trained nothing, and faults that did not do
 * what was meant. The report on one that failed lists the faults that changed nothing.
 */
export function unnoticedLines(emulator: Emulator, { failed }: { failed: boolean }): string[] {
  const worlds = usedWorlds(emulator)
  const lines = worlds.flatMap((world) => [
    ...untrainedLines(world.engine),
    ...(failed ? [] : unappliedTexts(world)),
    ...skippedOutagesIn(world).map(({ which, lasts }) => {
      const clock = world.engine.clock.mode
      return `The fault ${which} hit one call: the clock ${clock} skips the rest of its ${lasts}. --clock real makes it last; \`calls: 10\` in place of \`during\` hits ten calls.`
    }),
  ])
  return [...(failed ? [] : appliedLines(worlds)), ...new Set(lines)]
}

/** Says what faults did to calls, and how many scores of the judge were wrong. */
function appliedLines(worlds: readonly Emulator[]): string[] {
  const met = worlds.flatMap(({ engine, journal }) => {
    const rules = new Map(engine.faults.all.map(({ id, rule }) => [id, rule]))
    return journal.entries.flatMap((entry) => {
      if (entry.kind !== 'request' || entry.faults.length === 0) return []
      const isForJudge = entry.faults.some(({ id }) => {
        const match = rules.get(id)?.match
        return typeof match === 'object' && match.judge === true
      })
      const { operation, status = 0, lost, faults } = entry
      const names = faults.map(({ name, fault }) => `${name} (${fault})`).join(' and ')
      const got = status < 400 ? `met ${names}` : `got ${status}`
      return `of ${isForJudge ? 'the judge' : operation} ${lost ? GOT[lost] : got}`
    })
  })
  const wrong = worlds.reduce((sum, { engine }) => sum + engine.chat.judged.mistakes, 0)
  const kinds = Array.from(countsOf(met), ([what, count]) => `${counted(count, 'call')} ${what}`)
  const left = kinds.length - MOST_KINDS
  const parts = [
    ...kinds.slice(0, MOST_KINDS),
    ...(left > 0 ? [counted(left, 'other effect')] : []),
    ...(wrong > 0 ? [`${counted(wrong, 'wrong answer')} of the judge`] : []),
  ]
  return parts.length === 0 ? [] : [`The scenario: ${parts.join('; ')}.`]
}

const GOT = { hang: 'got no answer', disconnect: 'lost the connection' } as const
/** How many kinds of effects are named. */
const MOST_KINDS = 6

function untrainedLines({ store }: Engine): string[] {
  const reasons = [...store.jobs.values()].flatMap(
    ({ progress: { status, gradientSteps }, submission }) => {
      return status === 'ended' && gradientSteps === 0 ? (submission.nothingToTrain ?? []) : []
    },
  )
  return Array.from(new Set(reasons), (why) => {
    const jobs = counted(reasons.filter((each) => each === why).length, 'job')
    return `${jobs} trained nothing: ${why}.`
  })
}
