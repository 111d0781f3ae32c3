import { slugOf } from '../../base/text/slug.js'
import { faultDefinition } from '../../service/scenario/faults/kinds/index.js'
import type { ScenarioInput } from '../../service/scenario/scenario.js'

type Faults = NonNullable<ScenarioInput['faults']>
type Fault = Faults[number]

/** A name and a description of one sentence that say what a scenario without them does. */
export function describeScenario(scenario: Omit<ScenarioInput, 'name' | 'description'>): {
  readonly name: string
  readonly description: string
} {
  const faults = (scenario.faults ?? []).map(faultPart)
  const parts = [
    ...faults,
    ...jobParts(scenario),
    ...webhookParts(scenario),
    ...otherParts(scenario),
  ]
  if (parts.length === 0) return { name: 'no-fault', description: 'Nothing goes wrong.' }
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
  return { name: `${operation.name} ${name}`, text: `${calls} ${operation.text}: ${effect}` }
}

function operationOf({ match = {} }: Fault): Part {
  if (typeof match === 'function') return { name: 'call', text: 'of some operations' }
  const { operation, method, judge } = match
  if (judge === true) return { name: 'judge', text: 'of a judge' }
  if (operation !== undefined) {
    const all = [operation].flat()
    return { name: all[0]!, text: `of ${all.join(', ')}` }
  }
  return method
    ? { name: method, text: `by ${method}` }
    : { name: 'call', text: 'of any operation' }
}

function whichCalls({ calls, during, probability }: Fault): string {
  if (typeof calls === 'number') return `Call ${calls}`
  if (Array.isArray(calls)) return `${calls.length === 1 ? 'Call' : 'Calls'} ${calls.join(', ')}`
  if (calls !== undefined) {
    const { from = 1, to, every = 1 } = calls
    const some = every === 1 ? 'Calls' : `Every ${ordinal(every)} of the calls`
    return to === undefined ? `${some} from number ${from} on` : `${some} ${from} to ${to}`
  }
  if (during) return 'For a time, calls'
  return probability === undefined ? 'All calls' : 'Some calls'
}

const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh'] as const

const ENDINGS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' }
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })

function ordinal(number: number): string {
  return ORDINALS[number] ?? `${number}${ENDINGS[ordinals.select(number)] ?? 'th'}`
}

/** How a job ends that does not end well. */
const ENDS: Readonly<Record<string, Part>> = {
  training_failed: { name: 'job fails', text: 'A job fails' },
  never: { name: 'job never-ends', text: 'A job never ends' },
}

function jobParts({ jobs = [] }: Omit<ScenarioInput, 'name'>): Part[] {
  return jobs.slice(0, 1).map(({ timeline }) => {
    const last = timeline.at(-1)!
    const end = ENDS[last.event]
    if (end) return end
    const checkpoint = last.event === 'training_ended' ? last.checkpoint : undefined
    if (checkpoint === false) {
      return { name: 'job without-checkpoint', text: 'A job ends without a checkpoint' }
    }
    if (typeof checkpoint === 'object') {
      const [option = 'changed'] = Object.keys(checkpoint)
      return CHECKPOINTS[option] ?? { name: 'checkpoint', text: 'A checkpoint is unusual' }
    }
    const spoiled = timeline.some((step) => step.event === 'gradient_step' && step.spoil?.length)
    if (spoiled) return { name: 'bad metrics', text: 'A job has bad metrics' }
    return { name: 'job timeline', text: 'A job has a timeline of its own' }
  })
}

const CHECKPOINTS: Readonly<Record<string, Part>> = {
  served_after: {
    name: 'checkpoint served-later',
    text: 'A new checkpoint is listed before it is served',
  },
  evicted_after: { name: 'checkpoint evicted', text: 'A new checkpoint is served only for a time' },
  expires_after: { name: 'checkpoint expires', text: 'A new checkpoint is deleted after a time' },
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

const OTHERS: Readonly<Partial<Record<keyof ScenarioInput, Part>>> = {
  chat: { name: 'chat answers', text: 'Chats get special answers' },
  timeline: { name: 'timeline', text: 'Something happens besides the jobs' },
  rl: { name: 'nothing to train', text: 'There may be nothing to train' },
  system_check: { name: 'system check', text: 'The system check fails' },
}

function otherParts(scenario: Omit<ScenarioInput, 'name'>): Part[] {
  const keys = Object.keys(OTHERS) as (keyof typeof OTHERS)[]
  return keys.filter((key) => Object.hasOwn(scenario, key)).map((key) => OTHERS[key]!)
}
