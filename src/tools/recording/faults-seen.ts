import { groupsOf } from '../../base/text/counted.js'
import { chatRefusal, refusalWith } from '../../service/contract/status-wording.js'
import type { SeenCheckpoints } from './checkpoints-seen.js'
import {
  fieldsOf,
  isAccepted,
  isChat,
  isMissing,
  listIn,
  textIn,
  type Exchange,
  type ScenarioPart,
} from './exchanges.js'
import { pageFaults } from './page-faults.js'
import { isEventStream } from './redact-body.js'
import { formatDuration } from './times.js'

/** What went wrong with calls. */
export interface SeenFaults {
  readonly faults: readonly ScenarioPart[]
  /** The size of the context window that a refusal names. */
  readonly contextWindow: number | undefined
  /** What a fault says less exactly than the recording. */
  readonly notes: readonly string[]
}

/** Writes what went wrong with each call: the number of the call among those of its operation, and what came back. */
export function faultsOf(
  exchanges: readonly Exchange[],
  checkpoints: Pick<SeenCheckpoints, 'worked' | 'unserved'>,
): SeenFaults {
  const pages = pageFaults(exchanges)
  const list = new FaultList()
  const late = new Map<string, Late[]>()
  const counts = new Map<string, number>()
  for (const exchange of exchanges) {
    const { operation } = exchange
    if (operation === undefined) continue
    const number = (counts.get(operation) ?? 0) + 1
    counts.set(operation, number)
    const isNatural = isExpected(exchange, exchanges) || checkpoints.unserved.has(exchange)
    const ofPage = pages.get(exchange)
    const ending = isNatural ? undefined : endingOf(exchange, checkpoints.worked.has(exchange))
    const own = ofPage ?? [...(ending ? [ending] : []), ...withoutFields(exchange)]
    for (const fault of own) list.add(operation, number, fault)
    if (exchange.waited < LATE || !isAccepted(exchange)) continue
    const others = late.get(operation) ?? []
    others.push({ number, waited: exchange.waited })
    late.set(operation, others)
  }
  const notes = [...late].flatMap(([operation, answers]) => list.addDelays(operation, answers))
  const contextWindow = exchanges.map(contextWindowIn).find((size) => size !== undefined)
  return { faults: list.parts(), contextWindow, notes }
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

interface Late {
  readonly number: number
  readonly waited: number
}

/** Faults with the numbers of their calls, for each operation. */
class FaultList {
  readonly #found = new Map<string, { operation: string; fault: ScenarioPart; numbers: number[] }>()

  add(operation: string, number: number, fault: ScenarioPart): void {
    const key = JSON.stringify([operation, fault])
    const same = this.#found.get(key) ?? { operation, fault, numbers: [] }
    same.numbers.push(number)
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
      for (const { number } of group) this.add(operation, number, { fault: 'delay', delay })
    }
    if (!isMany) return []
    const waits = answers.map(({ waited }) => waited)
    const [least, most] = [Math.min(...waits), Math.max(...waits)].map(formatDuration)
    return [
      `${answers.length} answers to ${operation} took ${least} to ${most}. Here each takes as long as the middle one.`,
    ]
  }

  parts(): ScenarioPart[] {
    return [...this.#found.values()].map(({ operation, fault: { fault, ...options }, numbers }) => {
      return { fault, match: { operation }, calls: callsIn(numbers), ...options }
    })
  }
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
  const isPage = NOT_RECORDED.test(text) && headers['content-type']?.startsWith('text/html')
  return { fault: 'malformed', form: isPage ? 'html' : formOf(text) }
}

/** What the recorder writes in place of a body. */
const NOT_RECORDED = /^\[(?:redacted|binary|not recorded)\b.*\]$/

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
  if (NOT_RECORDED.test(text) || isMade()) return common
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
