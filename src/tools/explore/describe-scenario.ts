import { ordinalText } from '../../base/text/ordinal.js'
import { slugOf } from '../../base/text/slug.js'
import { faultDefinition } from '../../service/scenario/faults/kinds/index.js'
import type { ScenarioInput } from '../../service/scenario/scenario.js'

type Faults = NonNullable<ScenarioInput['faults']>
type Fault = Faults[number]

/** A name and a description that say what a scenario without them does: a sentence for each part. */
export function describeScenario(scenario: Omit<ScenarioInput, 'name' | 'description'>): {
  readonly name: string
  readonly description: string
} {
  const found = [
    ...(scenario.faults ?? []).map(faultPart),
    ...jobParts(scenario),
    ...webhookParts(scenario),
    ...otherParts(scenario),
  ]
  const parts = found.length > 0 ? found : [ownParts(scenario)]
  const names = new Set(parts.map(({ name }) => name))
  const texts = new Set(parts.map(({ text }) => `${text}.`))
  return {
    name: slugOf([...names].join('-and-'), LONGEST_NAME),
    description: [...texts].join(' '),
  }
}

interface Part {
  readonly name: string
  /** A sentence without a full stop. */
  readonly text: string
}

const LONGEST_NAME = 60

function faultPart(fault: Fault): Part {
  const calls = whichCalls(fault)
  const operation = operationOf(fault)
  const [name, effect] = faultDefinition(fault.fault).words(fault)
  const text = `${calls} ${operation.text}${countedBy(fault)}: ${effect}`
  return { name: `${operation.name} ${name}`, text: text[0]!.toUpperCase() + text.slice(1) }
}

type Conditions = Exclude<NonNullable<Fault['match']>, (...facts: never) => unknown>

/** What each condition on a call says, besides its operation. No key is shown, and no header, which may have one. */
const CONDITIONS: {
  readonly [Field in Exclude<keyof Conditions, 'operation'>]-?: (
    value: NonNullable<Conditions[Field]>,
  ) => string
} = {
  host: (host) => `to the ${host} API`,
  method: (method) => `by ${method}`,
  judge: (isJudge) => (isJudge ? 'of a judge' : 'of others than a judge'),
  model: (names) => `about the model ${inWords(names)}`,
  project: (names) => `about the project ${inWords(names)}`,
  user: (names) => `by the user ${inWords(names)}`,
  key: () => 'with a certain key',
  step: () => 'of a certain step',
  headers: () => 'with certain headers',
}

function operationOf({ match = {} }: Fault): Part {
  if (typeof match === 'function') return { name: 'call', text: 'of some operations' }
  const { operation, ...conditions } = match
  const found = Object.entries(conditions).flatMap(([field, value]) => {
    const words = CONDITIONS[field as keyof typeof CONDITIONS] as (value: unknown) => string
    return value === undefined ? [] : [words(value)]
  })
  if (operation !== undefined) found.unshift(`of ${inWords(operation)}`)
  const judged = match.judge === true ? 'judge' : undefined
  return {
    name: [operation].flat()[0] ?? judged ?? match.method ?? 'call',
    text: found.length === 0 ? 'of any operation' : found.join(' '),
  }
}

function inWords(globs: string | readonly string[]): string {
  return [globs].flat().join(', ')
}

/** The calls of a fault, in lower case. */
function whichCalls({ calls, during, open = true, probability }: Fault): string {
  const counted = countedCalls(calls)
  const some = calls === undefined ? 'some calls' : `perhaps ${counted}`
  const when = during && open && during.to === undefined ? 'from some time on, ' : 'for a time, '
  return (during || !open ? when : '') + (probability === undefined ? counted : some)
}

/** What has calls of its own that are counted. Empty if all are counted together. */
function countedBy({ calls, per = 'all' }: Fault): string {
  const scopes = [per].flat().filter((scope) => scope !== 'all')
  return calls === undefined || scopes.length === 0 ? '' : `, counted by ${scopes.join(' and ')}`
}

function countedCalls(calls: Fault['calls']): string {
  if (calls === undefined) return 'all calls'
  if (typeof calls === 'number') return `call ${calls}`
  if (Array.isArray(calls)) return `${calls.length === 1 ? 'call' : 'calls'} ${calls.join(', ')}`
  const { from = 1, to, every = 1 } = calls
  if (from === to) return `call ${from}`
  const some = every === 1 ? 'calls' : `every ${ordinalText(every)} of the calls`
  return to === undefined ? `${some} from number ${from} on` : `${some} ${from} to ${to}`
}

/** How a job ends that does not end well. */
const ENDS: Readonly<Record<string, Part>> = {
  training_failed: { name: 'job fails', text: 'A job fails' },
  never: { name: 'job never-ends', text: 'A job never ends' },
}

type Jobs = NonNullable<ScenarioInput['jobs']>
type JobStep = Jobs[number]['timeline'][number]
type EndOptions = Extract<Extract<JobStep, { event: 'training_ended' }>['checkpoint'], object>

function jobParts({ jobs = [] }: Omit<ScenarioInput, 'name'>): Part[] {
  return jobs.flatMap(({ timeline }) => {
    const spoiled = timeline.some((step) => step.event === 'gradient_step' && step.spoil?.length)
    const found = [
      ...endParts(timeline.at(-1)!),
      ...(spoiled ? [{ name: 'bad metrics', text: 'A job has bad metrics' }] : []),
    ]
    return found.length > 0
      ? found
      : [{ name: 'job timeline', text: 'A job has a timeline of its own' }]
  })
}

function endParts(last: JobStep): Part[] {
  const end = ENDS[last.event]
  if (end) return [end]
  const checkpoint = last.event === 'training_ended' ? last.checkpoint : undefined
  if (checkpoint === false) {
    return [{ name: 'job without-checkpoint', text: 'A job ends without a checkpoint' }]
  }
  const options = typeof checkpoint === 'object' ? checkpoint : {}
  const set = (Object.keys(CHECKPOINTS) as (keyof EndOptions)[]).filter((option) => {
    return options[option] !== undefined
  })
  return set.map((option) => CHECKPOINTS[option])
}

const CHECKPOINTS: { readonly [Option in keyof EndOptions]-?: Part } = {
  served_after: {
    name: 'checkpoint served-later',
    text: 'A new checkpoint is listed before it is served',
  },
  evicted_after: { name: 'checkpoint evicted', text: 'A new checkpoint is served only for a time' },
  expires_after: { name: 'checkpoint expires', text: 'A new checkpoint is deleted after a time' },
  metrics: { name: 'checkpoint metrics', text: 'A new checkpoint has metrics of its own' },
}

function webhookParts({ webhooks = [] }: Omit<ScenarioInput, 'name'>): Part[] {
  return webhooks.flatMap(({ adversary = [] }) => {
    return adversary.map(({ do: what }) => ({ name: `webhook ${what}`, text: DELIVERIES[what] }))
  })
}

const DELIVERIES = {
  duplicate: 'Deliveries arrive several times',
  reordered: 'Deliveries arrive in another order',
  delayed: 'Deliveries arrive later',
  late: 'Deliveries arrive after newer ones',
  wrong_secret: 'Deliveries have a wrong signature',
  old_secret: 'Deliveries are signed with an old secret',
  altered_body: 'Deliveries have a changed body',
  truncated_body: 'Deliveries have half of their body',
  respelled_body: 'Deliveries have the same body, written in another way',
  missing_signature: 'Deliveries have no signature',
  storm: 'Each event is sent in many deliveries',
  down: 'The receiver is down for a time',
} as const

function otherParts({ chat, timeline, rl, system_check }: Omit<ScenarioInput, 'name'>): Part[] {
  const parts: Part[] = []
  if (chat) parts.push({ name: 'chat answers', text: 'Chats get special answers' })
  if (timeline?.length) {
    parts.push({ name: 'timeline', text: 'Something happens besides the jobs' })
  }
  if (rl?.nothing_to_train !== undefined) {
    parts.push({ name: 'nothing to train', text: 'There may be nothing to train' })
  }
  if (rl?.most_tokens !== undefined) {
    parts.push({ name: 'long trajectories', text: 'Trajectories may be too long to train' })
  }
  if (system_check && isBroken(system_check)) {
    parts.push({ name: 'system check', text: 'The system check fails' })
  }
  return parts
}

/** Keys of a scenario that change nothing of what the service does, or of which all is parts that breaks something. */
const SILENT: ReadonlySet<string> = new Set([
  '$schema',
  'seed',
  'clock',
  'checks',
  'play',
  'system_check',
] satisfies (keyof ScenarioInput)[])

/** Names the keys of a scenario of which nothing else is found. */
function ownParts(scenario: Omit<ScenarioInput, 'name'>): Part {
  const keys = Object.entries(scenario).flatMap(([key, part]) => {
    return part === undefined || SILENT.has(key) ? [] : key
  })
  return keys.length === 0
    ? { name: 'no-fault', text: 'Nothing goes wrong' }
    : { name: `own ${keys.join('-and-')}`, text: `It has ${keys.join(', ')} of its own` }
}

function isBroken({ database, cpu_queue, gpu_queue }: NonNullable<ScenarioInput['system_check']>) {
  return [database, cpu_queue?.success, gpu_queue?.success].includes(false)
}
