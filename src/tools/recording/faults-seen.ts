import { counted, groupsOf } from '../../base/text/counted.js'
import { HIDDEN_CHANGES } from '../../emulator/har.js'
import { jobReads } from '../../service/contract/operation-names.js'
import { chatRefusal, refusalWith } from '../../service/contract/status-refusals.js'
import type { SeenCheckpoints } from './checkpoints-seen.js'
import {
  fieldsOf,
  isAccepted,
  isChat,
  listIn,
  textIn,
  type Exchange,
  type ScenarioPart,
} from './exchanges.js'
import { endOf, type SeenJob } from './jobs-seen.js'
import { pageFaults } from './page-faults.js'
import { isEventStream } from './redact-body.js'
import { isMissing, isReplaced } from './replaced-text.js'
import { formatDuration } from './times.js'

/** What went wrong with calls. */
export interface SeenFaults {
  readonly faults: readonly ScenarioPart[]
  /** The size of the context window that a refusal names. */
  readonly contextWindow: number | undefined
  /** What a fault says less exactly than the recording. */
  readonly notes: readonly string[]
  /** What faults changed, and no fault here does, as sentences. */
  readonly losses: readonly string[]
  /** Whether polls before them decide when some of them come. */
  readonly countPolls: boolean
}

/** Writes what went wrong with each call: the number of the call among those of its operation, and what came back. */
export function faultsOf(
  exchanges: readonly Exchange[],
  { checkpoints, jobs }: { checkpoints: SeenFacts; jobs: readonly SeenJob[] },
): SeenFaults {
  const pages = pageFaults(exchanges)
  const list = new FaultList()
  const models = polledModels(jobs)
  const late = new Map<string, Late[]>()
  for (const exchange of exchanges) {
    const { operation } = exchange
    if (operation === undefined) continue
    const call = list.count(operation, polledModel(exchange, models))
    const isNatural = isExpected(exchange, exchanges) || checkpoints.unserved.has(exchange)
    const ofPage = pages.get(exchange)
    const ending = isNatural ? undefined : endingOf(exchange, checkpoints.worked.has(exchange))
    const seen = ofPage ?? [...(ending ? [ending] : []), ...withoutFields(exchange)]
    for (const fault of [...seen, ...changesOf(exchange)]) list.add(operation, call, fault)
    if (exchange.waited < LATE || !isAccepted(exchange)) continue
    const others = late.get(operation) ?? []
    others.push({ ...call, waited: exchange.waited })
    late.set(operation, others)
  }
  const notes = [...late].flatMap(([operation, answers]) => list.addDelays(operation, answers))
  const contextWindow = exchanges.map(contextWindowIn).find((size) => size !== undefined)
  const faults = list.parts()
  return {
    faults: [...faults, ...withoutMessages(jobs)],
    contextWindow,
    notes,
    losses: lossesIn(exchanges),
    countPolls: faults.some(({ fault, match, calls }) => {
      const isPoll = jobReads.includes(String(fieldsOf(match)['operation']))
      return isPoll && fault !== 'delay' && calls !== undefined && calls !== 1
    }),
  }
}

type SeenFacts = Pick<SeenCheckpoints, 'worked' | 'unserved'>

/** The names of models by their ids and by those of their jobs, which polls have. */
function polledModels(jobs: readonly SeenJob[]): Map<string, string> {
  return new Map(
    jobs.flatMap(({ id, model }) =>
      model ? [[id, model.name] as const, [model.id, model.name] as const] : [],
    ),
  )
}

/** The name of the model that a poll is about. Empty for other calls. */
function polledModel({ operation, params }: Exchange, models: ReadonlyMap<string, string>): string {
  if (!jobReads.includes(operation ?? '')) return ''
  return models.get(params['training_job_id'] ?? params['model_id'] ?? '') ?? ''
}

/** The faults of this emulator that hit a call, as far as they are known. */
function changesOf({ changes }: Exchange): ScenarioPart[] {
  return changes.flatMap(({ fault, change }) => (change ? [{ fault, ...fieldsOf(change) }] : []))
}

function lossesIn(exchanges: readonly Exchange[]): string[] {
  const lost = exchanges.flatMap(({ changes }) => changes.filter(({ change }) => !change))
  return [...groupsOf(lost, ({ name, fault }) => `${String(name)} (${String(fault)})`)].map(
    ([which, { length }]) => {
      return `${counted(length, 'answer')} ${length === 1 ? 'was' : 'were'} changed by ${which}; the scenario does not have that.`
    },
  )
}

/** Lists show a failed job without a message, and a scenario always has one. So it is removed from the lists. */
export function withoutMessages(jobs: readonly SeenJob[]): ScenarioPart[] {
  const failed = jobs.filter((job) => endOf(job)?.type === 'training_failed')
  const models = groupsOf(failed, ({ model }) => model?.name)
  return [...models].flatMap(([model, own]) => {
    if (own.some((job) => 'error_message' in endOf(job)!.data)) return []
    const match = { operation: 'listTrainingJobEvents', ...(models.size > 1 && model && { model }) }
    return [{ fault: 'edit', match, remove: 'data.*.data.error_message' }]
  })
}

/**
 * Names the calls that may have changed something although nothing shows it: their answers were lost, or a gateway
 * answered in place of the service.
 *
 * @param worked Calls that took effect for certain.
 */
export function unknownEffects(
  exchanges: readonly Exchange[],
  worked: ReadonlySet<Exchange>,
): string[] {
  const calls = exchanges.filter((each) => {
    return each.operation !== undefined && each.method === 'POST' && !isChat(each)
  })
  return [...groupsOf(calls, ({ operation }) => operation)].flatMap(([operation, made]) => {
    const numbers = made.flatMap((each, index) => {
      return isWithoutAnswer(each) && !worked.has(each) ? [index + 1] : []
    })
    if (numbers.length === 0) return []
    const which = `call${numbers.length === 1 ? '' : 's'} ${numbers.join(', ')} of ${operation}`
    return [
      `Nothing shows whether ${which} took effect: the service gave no answer. Here it took none. If it did, write "stage: after" into the fault.`,
    ]
  })
}

function isWithoutAnswer({ how, status }: Exchange): boolean {
  if (status === undefined) return how === 'lost' || how === 'client_left'
  return status === 502 || status === 504
}

/** Answers that come faster are not late. */
const LATE = 100

/** With more delays, one for all calls of the operation says enough. */
const MOST_DELAYS = 10

/** The number of a call among those of its operation. */
interface NumberedCall {
  readonly number: number
  /** The model that it polls, and its number among the polls of that. */
  readonly model: string
  readonly ofModel: number
}

interface Late extends NumberedCall {
  readonly waited: number
}

/** Faults with the numbers of their calls, for each operation. */
class FaultList {
  readonly #found = new Map<
    string,
    { operation: string; fault: ScenarioPart; calls: NumberedCall[] }
  >()
  /** How many calls each operation has, by model. */
  readonly #counts = new Map<string, Map<string, number>>()

  /** Counts a call, and returns its number. */
  count(operation: string, model: string): NumberedCall {
    const counts = this.#counts.get(operation) ?? new Map<string, number>()
    this.#counts.set(operation, counts)
    const ofModel = (counts.get(model) ?? 0) + 1
    counts.set(model, ofModel)
    return { number: sumOf(counts), model, ofModel }
  }

  add(operation: string, call: NumberedCall, fault: ScenarioPart): void {
    const key = JSON.stringify([operation, fault])
    const same = this.#found.get(key) ?? { operation, fault, calls: [] }
    same.calls.push(call)
    this.#found.set(key, same)
  }

  /** Adds late answers. Those in a row within 10 % have one delay. */
  addDelays(operation: string, answers: readonly Late[]): string[] {
    const groups: Late[][] = []
    for (const answer of answers) {
      const group = groups.at(-1)
      const isClose = group && Math.abs(answer.waited - group[0]!.waited) <= 0.1 * group[0]!.waited
      if (isClose) group.push(answer)
      else groups.push([answer])
    }
    const isMany = groups.length > MOST_DELAYS
    for (const group of isMany ? [[...answers]] : groups) {
      const delay = formatDuration(medianOf(group))
      for (const call of group) this.add(operation, call, { fault: 'delay', delay })
    }
    if (!isMany) return []
    const waits = answers.map(({ waited }) => waited)
    const [least, most] = [Math.min(...waits), Math.max(...waits)].map(formatDuration)
    return [
      `${answers.length} answers to ${operation} took ${least} to ${most}. Here each takes as long as the middle one.`,
    ]
  }

  parts(): ScenarioPart[] {
    return [...this.#found.values()].map(({ operation, fault: { fault, ...options }, calls }) => {
      const counts = this.#counts.get(operation)!
      const [{ model }] = calls as [NumberedCall]
      // One client may poll many jobs. Alone, that of one model makes only its own calls.
      const isOwn = model !== '' && counts.size > 1 && calls.every((call) => call.model === model)
      const numbers = calls.map(({ number, ofModel }) => (isOwn ? ofModel : number))
      // What changed each answer changes others, too.
      const isAll =
        String(fault) in HIDDEN_CHANGES &&
        numbers.length === (isOwn ? counts.get(model) : sumOf(counts))
      return {
        fault,
        match: { operation, ...(isOwn && { model }) },
        ...(!isAll && { calls: callsIn(numbers) }),
        ...options,
      }
    })
  }
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

function medianOf(answers: readonly Late[]): number {
  const sorted = answers.map(({ waited }) => waited).sort((one, other) => one - other)
  return Number(sorted[sorted.length >> 1]!.toPrecision(2))
}

/** Writes numbers with the same distance as a range. */
function callsIn(numbers: readonly number[]): unknown {
  const [first = 0, second] = numbers
  if (second === undefined) return first
  const every = second - first
  const isRange =
    numbers.length > 2 && numbers.every((each, index) => each === first + index * every)
  if (!isRange) return numbers
  return { ...(first > 1 && { from: first }), to: numbers.at(-1), ...(every > 1 && { every }) }
}

const CONTEXT = /maximum context length is (\d+) tokens|max_total_tokens=(\d+)/

function contextWindowIn(exchange: Exchange): number | undefined {
  if (!isChat(exchange) || exchange.status !== 400) return undefined
  const [, length, total] = CONTEXT.exec(messageIn(exchange) ?? '') ?? []
  const size = length ?? total
  return size === undefined ? undefined : Number(size)
}

/** Whether the emulator refuses the call as well, without a fault. */
function isExpected(exchange: Exchange, all: readonly Exchange[]): boolean {
  const { status = 0, operation, params, query, how } = exchange
  if (how !== 'complete') return false
  if ([405, 413, 422].includes(status) || contextWindowIn(exchange) !== undefined) return true
  if (status === 409) return operation === 'createModel'
  if (status !== 404 || query['after'] !== undefined) return false
  if (isChat(exchange)) return !all.some((each) => isAccepted(each) && hasModelOf(each, exchange))
  const id = params['training_job_id'] ?? params['model_id']
  return id !== undefined && !all.some((each) => isAccepted(each) && mentions(each, id))
}

function hasModelOf(one: Exchange, other: Exchange): boolean {
  return isChat(one) && fieldsOf(one.sent)['model'] === fieldsOf(other.sent)['model']
}

function mentions({ received, params }: Exchange, id: string): boolean {
  return fieldsOf(received)['id'] === id || Object.values(params).includes(id)
}

/** Returns what ended a call, if it did not go well. */
function endingOf(exchange: Exchange, worked: boolean): ScenarioPart | undefined {
  const { how, status, text, headers, received } = exchange
  const stage = worked ? { stage: 'after' } : {}
  const place = status === undefined ? stage : { stage: 'mid_body' }
  if (how === 'unfinished') return undefined
  if (how === 'lost') return { fault: 'drop', ...place }
  // A client that has seen enough of a stream leaves, too.
  if (how === 'client_left') {
    return text.includes('data: [DONE]') ? undefined : { fault: 'hang', ...place }
  }
  if (status !== undefined && status >= 400) return refusalOf(exchange, stage)
  if (isEventStream(headers) || received !== undefined || isMissing(text)) return undefined
  // The recorder replaces a body that is not JSON, so only its type is known.
  const isPage = isReplaced(text) && headers['content-type']?.startsWith('text/html')
  return { fault: 'malformed', form: isPage ? 'html' : formOf(text) }
}

function formOf(text: string): string {
  if (text === '') return 'empty'
  if (/^\s*</.test(text)) return 'html'
  return /^\s*[[{]/.test(text) ? 'truncated' : 'not_json'
}

function messageIn({ received }: Exchange): string | undefined {
  const { detail, error } = fieldsOf(received)
  return textIn(detail) ?? textIn(fieldsOf(error)['message'])
}

function refusalOf(exchange: Exchange, stage: ScenarioPart): ScenarioPart {
  const { host, headers, text, received, status = 0 } = exchange
  const wait = waitIn(headers)
  const retry = wait === undefined ? {} : { retry_after: formatDuration(wait) }
  const common = { fault: 'status', ...stage, status, ...retry }
  const isMade = (message?: string): boolean => {
    const refusal = isChat(exchange)
      ? chatRefusal(status, { message })
      : refusalWith(status, host, { message })
    return JSON.stringify(refusal.bodyFor(host)) === JSON.stringify(received)
  }
  if (isReplaced(text) || isMade()) return common
  const message = messageIn(exchange)
  if (message !== undefined && !message.includes('{{') && isMade(message)) {
    return { ...common, message }
  }
  const type = headers['content-type']
  const isPlain = received === undefined || typeof received === 'string'
  const isUsual = type === undefined || type.startsWith(isPlain ? 'text/plain' : 'application/json')
  return {
    ...common,
    ...(!isUsual && { headers: { 'content-type': type } }),
    body: isPlain ? text : received,
  }
}

function waitIn(headers: Readonly<Record<string, string>>): number | undefined {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (exact >= 0) return exact
  const seconds = Number(headers['retry-after'] ?? Number.NaN)
  return seconds >= 0 ? seconds * 1000 : undefined
}

/** Finds a chat that asked for log probabilities or token ids, and got none. Training needs both. */
function withoutFields(exchange: Exchange): ScenarioPart[] {
  if (exchange.changes.some(({ fault, change }) => fault === 'edit' && change)) return []
  const { logprobs, return_token_ids: ids } = fieldsOf(exchange.sent)
  const choice = fieldsOf(listIn(fieldsOf(exchange.received)['choices'])[0])
  if (!isChat(exchange) || !isAccepted(exchange) || choice['message'] === undefined) return []
  const hasLogprobs = typeof choice['logprobs'] === 'object' && choice['logprobs'] !== null
  const remove = [
    ...(logprobs === true && !hasLogprobs ? ['choices.*.logprobs'] : []),
    ...(ids === true && !Array.isArray(choice['token_ids']) ? ['choices.*.token_ids'] : []),
  ]
  return remove.length === 0 ? [] : [{ fault: 'edit', remove }]
}
