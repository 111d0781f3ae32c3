import { madeUpText } from '../../emulator/testing/made-up.js'
import { answersOf } from '../../service/engine/lineage/trained-job.js'
import { isAboutRewards } from '../../service/engine/jobs/nothing-to-train.js'
import { counted, countsOf } from '../../base/text/counted.js'
import { shortened } from '../../base/text/shortened.js'
import type { Emulator } from '../../emulator/emulator.js'
import { usedWorlds } from '../../emulator/testing/used-worlds.js'
import type { TestedWorld } from '../../emulator/testing/world.js'
import { skippedOutagesIn } from '../../emulator/testing/skipped-outages.js'
import { chatsIn, modelOf } from '../../emulator/testing/unapplied.js'
import {
  effectsText,
  inventedText,
  jobsOfRun,
  refusalsText,
  unappliedTexts,
} from '../../emulator/testing/unnoticed.js'
import type { Engine } from '../../service/engine/engine.js'

/**
 * What a program may not notice, a line for each: what faults did, jobs that trained nothing, and faults that did not do
 * what was meant. The report on one that failed lists the faults that changed nothing.
 */
export function unnoticedLines(emulator: Emulator, { failed }: { failed: boolean }): string[] {
  const worlds = usedWorlds(emulator)
  const lines = worlds.flatMap((world) => [
    ...untrainedLines(world.engine),
    ...withoutLogprobs(world.engine),
    ...(failed ? [] : unmatchedRules(world)),
    ...unfinishedBefore(world.engine),
    ...(failed ? [] : unappliedTexts(world)),
    ...skippedOutagesIn(world).map(({ which, lasts }) => {
      const clock = world.engine.clock.mode
      return `The fault ${which} hit one call: the clock ${clock} skips the rest of its ${lasts}. --clock real makes it last; \`calls: 10\` in place of \`during\` hits ten calls.`
    }),
  ])
  const effects = failed ? undefined : effectsText(worlds)
  const refusals = failed ? undefined : refusalsText(worlds)
  const invented = failed ? undefined : inventedText(worlds)
  return [
    ...(effects === undefined ? [] : [`The scenario: ${effects}.`]),
    ...(refusals === undefined ? [] : [`Refused without a fault: ${refusals}.`]),
    ...new Set(lines),
    ...(invented === undefined ? [] : [`${invented}.`]),
  ]
}

/** The jobs that a command ran, and how many chats it got, in one line. Empty if it has neither. */
export function summaryLines(emulator: Emulator, { chats }: { chats: number }): string[] {
  const worlds = usedWorlds(emulator)
  const jobs = worlds.flatMap(({ engine }) => jobsOfRun(engine))
  const statuses = countsOf(jobs.map(({ progress }) => progress.status))
  const steps = worlds.flatMap(({ engine }) => {
    return Array.from(engine.store.modelStates, ({ record: { name }, checkpoints: { latest } }) => {
      return latest && latest.step > 0 ? `newest checkpoint of ${name}: step ${latest.step}` : ''
    })
  })
  const trained = [
    ...Array.from(statuses, ([status, count]) => `${counted(count, 'job')} ${status}`),
    ...steps.filter(Boolean),
  ].join(', ')
  const sampled = chats > 0 && `${counted(chats, 'chat')}${judgedText(worlds)}`
  const parts = [shortened(trained, LONGEST_SUMMARY), sampled]
  const text = parts.filter(Boolean).join('; ')
  return text === '' ? [] : [`${text}.`]
}

const LONGEST_SUMMARY = 200

/** How many chats the built-in judge answered, and that nobody chose its scores. */
function judgedText(worlds: readonly TestedWorld[]): string {
  const judges = worlds
    .map(({ engine }) => engine)
    .filter(({ chat }) => chat.judge.countSince.calls > 0)
  if (judges.length === 0) return ''
  const calls = judges.reduce((sum, { chat }) => sum + chat.judge.countSince.calls, 0)
  const rules = judges.map(({ scenario: { chat } }) => (chat.judge ? chat.judge.rules : []))
  const haveRules = rules.every(({ length }) => length > 0)
  const where = haveRules ? ' where no rule matches' : ''
  return `, ${calls} of them to a judge, whose scores are invented${where}`
}

/** Jobs that an earlier run left unfinished, and that this run did not wait for. */
function unfinishedBefore(engine: Engine): string[] {
  const jobs = jobsOfRun(engine)
  return jobs.flatMap((earlier) => {
    if (!earlier.isRestored) return []
    const { model, id, progress } = earlier
    const end = progress.endedAt ?? Infinity
    const next = jobs.find((job) => {
      return !job.isRestored && job.model.id === model.id && job.createdAt < end
    })
    return next
      ? `Job ${id} of an earlier run was not over when job ${next.id} of the same model was created: the model trains both.`
      : []
  })
}

/** Answers that the service trains only if the job allows it, which nothing here says. */
function withoutLogprobs({ lineage }: Engine): string[] {
  const jobs = lineage.newJobs.filter(({ needsLogprobs }) => needsLogprobs === undefined)
  const bare = jobs.flatMap(answersOf).filter(({ noLogprobs, lostLogprobs, isPlain }) => {
    return noLogprobs && !lostLogprobs && !isPlain
  })
  if (bare.length === 0) return []
  const trained = counted(bare.length, 'trained answer')
  return [
    `${trained} had no log probabilities, so the service may skip them: ask chats with logprobs: true.`,
  ]
}

/** Says that rules for chats did nothing at all. One for some chats of another run may well do nothing in this one. */
function unmatchedRules({ engine, journal }: TestedWorld): string[] {
  const { rules } = engine.scenario.chat
  const chats = rules.length === 0 ? [] : chatsIn(journal)
  if (chats.length === 0 || chats.some(({ chatRule }) => chatRule !== undefined)) return []
  const models = shortened([...new Set(chats.map(modelOf))].join(', '), LONGEST_SUMMARY)
  return [`No rule of chat.rules matched any of ${counted(chats.length, 'chat')} with ${models}.`]
}

function untrainedLines(engine: Engine): string[] {
  const reasons = jobsOfRun(engine).flatMap(
    ({ progress: { status, gradientSteps }, submission }) => {
      return status === 'ended' && gradientSteps === 0 ? (submission.nothingToTrain ?? []) : []
    },
  )
  return Array.from(countsOf(reasons), ([why, count]) => {
    const more = isAboutRewards(why) ? madeUpText(engine, 'group') : ''
    return `${counted(count, 'job')} trained nothing: ${why}${more}.`
  })
}
