import { counted, countsOf } from '../../base/text/counted.js'
import { shortened } from '../../base/text/shortened.js'
import type { Job } from '../../service/engine/jobs/job.js'
import { shownEntry } from '../../service/engine/shown-entry.js'
import { builtInScenarioNames } from '../../service/scenario/built-in-names.js'
import { unmetRules } from './conditional.js'
import { unappliedIn } from './unapplied.js'
import type { TestedWorld } from './world.js'

/** What a test that passes may not have noticed. */
export interface UnnoticedThing {
  readonly what: 'fault' | 'answer'
  readonly text: string
}

/** Faults that changed nothing, and answers to a judge or a teacher that no rule gave. */
export function unnoticedIn(world: TestedWorld): UnnoticedThing[] {
  const faults = unappliedTexts(world).map((text): UnnoticedThing => ({ what: 'fault', text }))
  const answers = inventedText([world])
  return answers === undefined ? faults : [...faults, { what: 'answer', text: answers }]
}

/**
 * What of a scenario did nothing. A built-in one has faults for calls that few programs make, and rules for jobs that
 * few create: only if no fault applies, it shows nothing.
 */
export function unappliedTexts(world: TestedWorld): string[] {
  const { scenario, faults } = world.engine
  const isBuiltIn = builtInScenarioNames.some((name) => name === scenario.name)
  if (isBuiltIn && faults.all.some(({ hits }) => hits > 0)) return []
  const rules = isBuiltIn ? [] : unmetRules(world.engine)
  return [...unappliedIn(world), ...rules].map(
    ({ which, why }) => `Nothing came of ${which}: ${why}.`,
  )
}

/** Says that a judge or a teacher had no rules. Undefined if there was none. */
export function inventedText(worlds: readonly TestedWorld[]): string | undefined {
  const models = worlds.flatMap(({ journal, engine: { store } }) => {
    // A warning says that the name of a trained model was too short.
    const trained = new Set(Array.from(store.modelStates, ({ record }) => record.name))
    return journal.entries.flatMap((entry) => {
      if (entry.kind !== 'request' || entry.inventedFor === undefined) return []
      return trained.has(entry.inventedFor) ? [] : shownEntry(entry).inventedFor!
    })
  })
  if (models.length === 0) return undefined
  const which = Array.from(countsOf(models), ([model, count]) => {
    return `${counted(count, 'chat')} of ${model}`
  })
  return `${shortened(which.join(', '), LONGEST_LIST)} got invented text; rules give its answers: svtrain-emulator docs chat`
}

/** The most characters of the models that are named. */
const LONGEST_LIST = 200

/**
 * Says what faults did to calls, what jobs that ended lack, and how many answers of the judge were wrong on purpose.
 * Undefined if nothing.
 */
export function effectsText(worlds: readonly TestedWorld[]): string | undefined {
  const met = worlds.flatMap(({ engine, journal }) => {
    const rules = new Map(engine.faults.all.map(({ id, rule }) => [id, rule]))
    return journal.entries.flatMap((entry) => {
      if (entry.kind !== 'request') return []
      if (entry.answeredBy !== undefined)
        return `of ${entry.operation} got the base model in place of an adapter`
      if (entry.faults.length === 0) return []
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
  const parts = [
    ...kindsOf(met),
    ...worlds.flatMap(({ engine }) => flawsOf(jobsOfRun(engine))),
    ...worlds.flatMap(({ engine }) => mistakesOfJudge(engine)),
  ]
  return parts.length === 0 ? undefined : parts.join('; ')
}

/**
 * Says which calls were refused without a fault: those of a program that goes on with too little. Undefined if none
 * was.
 */
export function refusalsText(worlds: readonly TestedWorld[]): string | undefined {
  const refused = worlds.flatMap(({ journal }) => {
    return journal.entries.flatMap((entry) => {
      if (entry.kind !== 'request' || entry.faults.length > 0) return []
      const { operation = 'no operation', status = 0 } = entry
      return status >= 400 ? `of ${operation} got ${status}` : []
    })
  })
  return refused.length === 0 ? undefined : kindsOf(refused).join('; ')
}

/** Counts calls by what they got. */
function kindsOf(calls: readonly string[]): string[] {
  const kinds = Array.from(countsOf(calls), ([what, count]) => `${counted(count, 'call')} ${what}`)
  const left = kinds.length - MOST_KINDS
  return left > 0 ? [...kinds.slice(0, MOST_KINDS), counted(left, 'other effect')] : kinds
}

/** How many answers of the judge were wrong, and in which ways. They take turns. */
function mistakesOfJudge({ chat, scenario }: TestedWorld['engine']): string[] {
  const { judge } = scenario.chat
  const { mistakes: count } = chat.judge.countSince
  const before = chat.judge.count.mistakes - count
  if (count === 0 || !judge) return []
  const ways = [judge.mistake ?? []].flat()
  const met = ways.map((_, index) => ways[(before + index) % ways.length]).slice(0, count)
  return [`${counted(count, 'wrong answer')} of the judge (${met.join(', ')})`]
}

/** Says that rules of the scenario gave scores. Undefined if none did. */
export function scoredText(worlds: readonly TestedWorld[]): string | undefined {
  const calls = worlds.reduce((sum, { engine: { chat, scenario } }) => {
    const { judge } = scenario.chat
    return judge && judge.rules.length > 0 ? sum + chat.judge.countSince.calls : sum
  }, 0)
  return calls === 0
    ? undefined
    : `rules of the scenario gave the scores of ${counted(calls, 'call')} to the judge.`
}

/** The jobs of a world of which something happened since it was restored. */
export function jobsOfRun({ store }: TestedWorld['engine']): Job[] {
  return [...store.jobs.values()].filter(({ overBefore }) => !overBefore)
}

/** What is odd about jobs that no call shows as a failure. */
function flawsOf(jobs: readonly Job[]): string[] {
  const trained = jobs.filter(({ progress }) => progress.gradientSteps > 0)
  const lost = trained.filter(({ progress: { status, checkpointStep } }) => {
    return status === 'ended' && checkpointStep === undefined
  })
  const spoiled = trained.map(({ progress, script: { metrics } }) => {
    const steps = Math.min(progress.gradientSteps, MOST_STEPS)
    return new Set(Array.from({ length: steps }, (_, index) => metrics.spoiledAt(index + 1)).flat())
  })
  const odd = spoiled.filter(({ size }) => size > 0)
  const names = shortened([...new Set(odd.flatMap((each) => [...each]))].join(', '), LONGEST_LIST)
  return [
    ...(lost.length > 0 ? [`${counted(lost.length, 'job')} ended without a checkpoint`] : []),
    ...(odd.length > 0 ? [`${counted(odd.length, 'job')} had bad values of ${names}`] : []),
  ]
}

/** Of a longer job, only the first steps are looked at. */
const MOST_STEPS = 1000

const GOT = { hang: 'got no answer', disconnect: 'lost the connection' } as const
/** How many kinds of effects are named. */
const MOST_KINDS = 6
