import { counted } from '../../base/text/counted.js'
import type { Emulator } from '../../emulator/emulator.js'
import { usedWorlds } from '../../emulator/testing/trace.js'
import { skippedOutagesIn } from '../../emulator/testing/unapplied.js'
import { effectsText, unappliedTexts } from '../../emulator/testing/unnoticed.js'
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
  const effects = failed ? undefined : effectsText(worlds)
  return [...(effects === undefined ? [] : [`The scenario: ${effects}.`]), ...new Set(lines)]
}

/** The jobs of a command that passed, and how many chats it got, in one line. Empty if it has neither. */
export function summaryLines(emulator: Emulator, { chats }: { chats: number }): string[] {
  const engines = usedWorlds(emulator).map(({ engine }) => engine)
  const jobs = engines.flatMap(({ store }) => [...store.jobs.values()])
  const ends = (['ended', 'failed', 'running', 'queued'] as const).flatMap((status) => {
    const count = jobs.filter(({ progress }) => progress.status === status).length
    const is = status === 'running' || status === 'queued' ? `still ${status}` : status
    return count === 0 ? [] : `${counted(count, 'job')} ${is}`
  })
  const models = engines.flatMap(({ store }) => [...store.modelStates])
  const steps = models.flatMap(({ record, checkpoints }) => {
    const { step = 0 } = checkpoints.latest ?? {}
    return step === 0 ? [] : `newest checkpoint of ${record.name}: step ${step}`
  })
  const left = steps.length - MOST_MODELS
  const trained = [
    ...ends,
    ...steps.slice(0, MOST_MODELS),
    ...(left > 0 ? [counted(left, 'other model')] : []),
  ]
  const parts = [trained.join(', '), chats > 0 && counted(chats, 'chat')].filter(Boolean)
  return parts.length === 0 ? [] : [`${parts.join('; ')}.`]
}

/** How many models a summary names. */
const MOST_MODELS = 3

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
