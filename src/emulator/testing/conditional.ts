import type { Engine } from '../../service/engine/engine.js'
import { stallWords } from '../../service/engine/jobs/job-words.js'
import type { LiveFault } from '../../service/engine/faults/live-fault.js'
import type {
  FaultRule,
  JobRule,
  TimelineEntry,
  TimelineStep,
} from '../../service/scenario/scenario.js'
import { counted } from '../../base/text/counted.js'
import { ordinalText } from '../../base/text/ordinal.js'
import { milliseconds } from '../../base/text/duration.js'
import type { UnappliedThing } from './unapplied.js'

/** Something that has no time yet: it comes with the next job, event or call. */
export interface Conditional {
  /** Which list of the scenario says so: `jobs`, `timeline` or `faults`. */
  readonly kind: 'job' | 'timeline' | 'fault'
  /** What must happen first: `The next job of poet*`. */
  readonly when: string
  /** What happens then: `starts, takes 3 steps, fails: out of memory`. */
  readonly text: string
  readonly faultId?: string | undefined
}

/** Returns what comes with the next jobs, events and calls, as the scenario and the open faults say. */
export function conditionalIn(engine: Engine): Conditional[] {
  const { timeline, faults, clock } = engine
  return [
    ...faults.all.filter((fault) => mayApply(fault, clock.now())).map(conditionalFault),
    ...queuedJobs(engine),
    ...conditionalJobs(engine),
    ...timeline.awaited.map(conditionalEntry),
  ]
}

/** Jobs that wait for another one of their model: a model trains one job at a time. */
function queuedJobs({ store }: Engine): Conditional[] {
  return [...store.modelStates].flatMap(({ currentJob, jobs, record: { name } }) => {
    // A job may be over before its turn.
    const open = currentJob === undefined ? [] : jobs.filter(({ over }) => !over)
    return open.slice(1, MOST_QUEUED + 1).map(({ ordinal }, index): Conditional => {
      return {
        kind: 'job',
        when: `When job ${open[index]!.ordinal} of ${name} is over`,
        text: `job ${ordinal} of ${name} can start`,
      }
    })
  })
}

/** How many waiting jobs of a model are named. */
const MOST_QUEUED = 10

/** The rules that a job can still have. The first that matches counts, so one for all jobs is the last one. */
function conditionalJobs({ scenario, store }: Engine): Conditional[] {
  const everyJob = scenario.jobs.findIndex(isForAll)
  const reached = everyJob === -1 ? scenario.jobs : scenario.jobs.slice(0, everyJob + 1)
  const magic = [...new Set(reached.flatMap(magicNamesOf))]
  const rules = reached.filter((rule) => magicNamesOf(rule).length === 0 && !isPast(rule, store))
  const jobs = rules.map((rule): Conditional => {
    const { match, timeline } = rule
    const when = isForAll(rule) && reached.length > 1 ? 'Any other job' : jobWords(match)
    return { kind: 'job', when, text: timeline.map(stepWords).join(', ') }
  })
  if (magic.length === 0) return jobs
  const when = 'The next job of a model with a magic name'
  return [...jobs, { kind: 'job', when, text: `does what the name says: ${magic.join(', ')}` }]
}

/** Whether it is for all jobs. A function has no keys, and selects some of them. */
function isForAll({ match }: JobRule): boolean {
  return typeof match !== 'function' && Object.keys(match).length === 0
}

/** The names of models for which the default scenario has rules. */
function magicNamesOf({ match }: JobRule): string[] {
  if (typeof match === 'function') return []
  const globs = [match.model ?? []].flat()
  return globs.every((glob) => glob.startsWith('sim-')) ? globs : []
}

/**
 * The rules for certain jobs of which none came, with what such a job does at last. Who extends the default scenario
 * did not ask for its magic names.
 */
export function unmetRules({ scenario, training: { chosen } }: Engine): UnappliedThing[] {
  const all = [...chosen.values()].reduce((sum, jobs) => sum + jobs, 0)
  return scenario.jobs.flatMap((rule, index) => {
    const { match, timeline } = rule
    if (isForAll(rule) || chosen.has(rule) || magicNamesOf(rule).length > 0) return []
    const last = timeline.at(-1)
    const which = `jobs[${index}] (${jobWords(match)}${last ? `: ${stepWords(last)}` : ''})`
    return {
      which,
      why: all === 0 ? 'no job came' : `${counted(all, 'job')} came, none of them this`,
    }
  })
}

/** Whether the rule is for one job of one model, which exists already. */
function isPast({ match }: JobRule, { modelStates }: Engine['store']): boolean {
  if (typeof match === 'function' || typeof match.ordinal !== 'number') return false
  const { model: name, ordinal } = match
  const named = [...modelStates].filter(({ record }) => record.name === name)
  return named.length > 0 && named.every(({ nextOrdinal }) => nextOrdinal > ordinal)
}

function jobWords(match: JobRule['match']): string {
  if (typeof match === 'function') return 'The next job that a function selects'
  const { ordinal: number, kind, model, base_model, entity, project, ...data } = match
  const which = typeof number === 'number' ? `Job ${number}` : 'The next job'
  const parts = [
    kind && `of kind ${kind}`,
    model !== undefined && `of ${[model].flat().join(', ')}`,
    base_model !== undefined && `on ${[base_model].flat().join(', ')}`,
    entity !== undefined && `of the entity ${[entity].flat().join(', ')}`,
    project !== undefined && `in ${[project].flat().join(', ')}`,
    typeof number === 'object' && `with ordinal ${JSON.stringify(number)}`,
    Object.keys(data).length > 0 && `with ${JSON.stringify(data)}`,
  ]
  const some = typeof number === 'number' && model === undefined ? ['of a model'] : []
  return [which, ...some, ...parts].filter(Boolean).join(' ')
}

function stepWords(step: TimelineStep): string {
  switch (step.event) {
    case 'training_started':
      return 'starts'
    case 'gradient_step':
      return [
        step.count === undefined ? 'takes all steps' : `takes ${counted(step.count, 'step')}`,
        ...step.spoil.map((spoiled) => {
          const value = typeof spoiled.with === 'object' ? spoiled.with.text : spoiled.with
          const metrics = [spoiled.metric].flat().join(', ')
          return `${metrics} ${value} at ${stepsWords([spoiled.at].flat())}`
        }),
      ].join(', ')
    case 'pause':
      return `pauses for ${step.for}`
    case 'stall':
      return stallWords(step)
    case 'checkpoint':
      return 'adds a checkpoint'
    case 'training_ended':
      return step.checkpoint === false ? 'ends without a checkpoint' : 'ends'
    case 'training_failed':
      return `fails: ${step.error_message}`
    case 'never':
      return 'never ends'
  }
}

/** `step 3`, `steps 4–8`, `steps 1, 3`. */
function stepsWords(steps: readonly number[]): string {
  const [first = 0] = steps
  const last = steps.at(-1) ?? first
  if (steps.length === 1) return `step ${first}`
  const isRange = steps.every((step, index) => step === first + index)
  return isRange ? `steps ${first}–${last}` : `steps ${steps.join(', ')}`
}

function occurrenceWords(occurrence: NonNullable<Occurrence>): string {
  if (typeof occurrence === 'number' || Array.isArray(occurrence)) {
    return `for the ${[occurrence].flat().map(ordinalText).join(' and ')} time`
  }
  const { from = 1, to, every = 1 } = occurrence
  const last = to === undefined ? ' on' : ` to the ${ordinalText(to)}`
  return `from the ${ordinalText(from)} time${last}${every === 1 ? '' : `, every ${ordinalText(every)} time`}`
}

type Occurrence = NonNullable<TimelineEntry['after']>['occurrence']

function conditionalEntry(entry: TimelineEntry): Conditional {
  const {
    event,
    model,
    kind,
    ordinal: number,
    step,
    run,
    state,
    artifact,
    occurrence,
  } = entry.after!
  const words = [
    `After ${event.replaceAll('_', ' ')}`,
    model !== undefined && `of ${[model].flat().join(', ')}`,
    kind !== undefined && `of kind ${kind}`,
    number !== undefined && `of job ${number}`,
    step !== undefined && `at step ${step}`,
    run !== undefined && `of the run ${[run].flat().join(', ')}`,
    state !== undefined && `in the state ${state}`,
    artifact !== undefined && `of the artifact ${[artifact].flat().join(', ')}`,
    occurrence !== undefined && occurrenceWords(occurrence),
  ]
  const wait = milliseconds(entry.wait) === 0 ? '' : `, ${entry.wait} later`
  const object = 'fault' in entry ? ` "${entry.fault}"` : ''
  return {
    kind: 'timeline',
    when: words.filter(Boolean).join(' ') + wait,
    text: entry.do.replaceAll('_', ' ') + object,
  }
}

/** Whether the fault is open, its window is not over, and it has calls left. */
function mayApply(fault: LiveFault, at: number): boolean {
  return fault.open && fault.remaining(at) !== 0 && fault.callsLeft !== 0
}

function conditionalFault(fault: LiveFault): Conditional {
  const { id, name, rule, hits, callsLeft: left } = fault
  const limits = [
    left !== undefined && `${counted(left, 'call')} left`,
    rule.probability !== undefined && `with probability ${rule.probability}`,
    rule.during && `from ${rule.during.from}${rule.during.to ? ` to ${rule.during.to}` : ''}`,
    hits > 0 && `${counted(hits, 'call')} so far`,
  ].filter(Boolean)
  return {
    kind: 'fault',
    when: faultWords(fault),
    text: [faultName(rule, name), ...limits].join(', '),
    faultId: id,
  }
}

function faultName(rule: FaultRule, name: string): string {
  const kind = rule.fault.replaceAll('_', ' ')
  const what = rule.fault === 'status' ? `${kind} ${rule.status}` : kind
  return rule.name === undefined ? what : `${what} (${name})`
}

function faultWords({ rule: { match }, definition: { operations }, scope }: LiveFault): string {
  if (typeof match === 'function') return 'The next call that a function selects'
  const { operation = operations, host, method, ...about } = match
  const { model, project, key, user, headers, judge, step } = { ...about, ...scope }
  const of = method ?? operation
  const parts = [
    operation !== undefined && method !== undefined && `to ${[operation].flat().join(', ')}`,
    host !== undefined && `to the ${host} host`,
    model !== undefined && `about ${[model].flat().join(', ')}`,
    project !== undefined && `in ${[project].flat().join(', ')}`,
    user !== undefined && `by ${[user].flat().join(', ')}`,
    key !== undefined && 'with a certain API key',
    headers !== undefined && 'with certain headers',
    judge !== undefined && `that ${judge ? 'asks' : 'does not ask'} a judge`,
    step !== undefined && `for the step ${JSON.stringify(step)}`,
  ]
  const call = of === undefined ? 'The next call' : `The next call of ${[of].flat().join(', ')}`
  return [call, ...parts].filter(Boolean).join(' ')
}
