import { LONGEST_DURATION } from '../../base/text/duration.js'
import { waitIn } from '../../service/contract/retry-after.js'
import { FINISH_REASONS } from '../../service/scenario/finish-reasons.js'
import { chatRefusal, refusalWith } from '../../service/contract/status-refusals.js'
import {
  fieldsOf,
  isAccepted,
  isChat,
  listIn,
  textIn,
  type Exchange,
  type Fields,
  type ScenarioPart,
} from './exchanges.js'
import { isMissing, isReplaced } from './replaced-text.js'
import { formatDuration } from './times.js'

const CONTEXT = /maximum context length is (\d+) tokens|max_total_tokens=(\d+)/

/** The size of the context window that the refusal of a chat names. */
export function contextWindowIn(exchange: Exchange): number | undefined {
  if (!isChat(exchange) || exchange.status !== 400) return undefined
  const [, length, total] = CONTEXT.exec(messageIn(exchange) ?? '') ?? []
  const size = length ?? total
  return size === undefined ? undefined : Number(size)
}

/** Whether the emulator refuses the call as well, without a fault. */
export function isExpected(exchange: Exchange, all: readonly Exchange[]): boolean {
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
export function endingOf(exchange: Exchange, worked: boolean): ScenarioPart[] {
  const { how, status, text, received } = exchange
  const stage = worked ? { stage: 'after' } : {}
  const place = status === undefined ? stage : { stage: 'mid_body' }
  if (how === 'unfinished') return []
  if (how === 'failed')
    return [refusalOf({ ...exchange, headers: {}, status: codeIn(exchange) }, place)]
  if (how === 'lost' || how === 'cut_off') return [{ fault: 'drop', ...place }]
  // A client that has seen enough of a stream leaves, too.
  if (how === 'client_left') {
    return text.includes('data: [DONE]') ? [] : [{ fault: 'hang', ...place }]
  }
  const unreadable = { fault: 'malformed', form: formOf(exchange) }
  if (status !== undefined && status >= 400) {
    const refusal = refusalOf(exchange, stage)
    return isReplaced(text) && !isMissing(text) ? [unreadable, refusal] : [refusal]
  }
  if (received !== undefined || isMissing(text)) return []
  return [unreadable]
}

/** How a body is no JSON. The recorder replaces such a body, so only its type is known. */
function formOf({ text, headers }: Exchange): string {
  const { 'content-type': type = '' } = headers
  if (isReplaced(text)) {
    if (/\bhtml\b/i.test(type)) return 'html'
    return /\bjson\b/i.test(type) ? 'truncated' : 'not_json'
  }
  if (text === '') return 'empty'
  if (/^\s*</.test(text)) return 'html'
  return /^\s*(?:data: ?)?[[{]/.test(text) ? 'truncated' : 'not_json'
}

/** The status that an event of a stream says, in place of that of the answer. */
function codeIn({ received }: Exchange): number {
  const { error, code = fieldsOf(error)['code'] } = fieldsOf(received)
  // The service has this word in place of a number.
  if (code === chatRefusal(429).options.code) return 429
  const status = Number(code)
  return status >= 400 && status <= 599 ? status : 500
}

function messageIn({ received }: Exchange): string | undefined {
  const { detail, error } = fieldsOf(received)
  return textIn(detail) ?? textIn(fieldsOf(error)['message'])
}

function refusalOf(exchange: Exchange, stage: ScenarioPart): ScenarioPart {
  const { host, headers, text, received, status = 0 } = exchange
  const wait = waitIn(headers, { now: Date.parse(headers['date'] ?? '') }) ?? NaN
  // A scenario cannot say a longer one.
  const isSayable = wait >= 0 && wait <= LONGEST_DURATION
  const retry = isSayable && { retry_after: formatDuration(wait) }
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

/** Finds a chat whose answer lacks what it has otherwise, or what the call asked for. Training needs it. */
export function withoutFields(exchange: Exchange): ScenarioPart[] {
  if (exchange.changes.some(({ fault, change }) => fault === 'edit' && change)) return []
  if (!isChat(exchange) || !isAccepted(exchange) || exchange.received === undefined) return []
  const { choices: listed, error } = fieldsOf(exchange.received)
  const choices = listIn(listed).map(fieldsOf)
  if (choices.length === 0) {
    return [{ fault: 'edit', remove: 'choices', ...(error !== undefined && { set: { error } }) }]
  }
  const { logprobs, return_token_ids: ids } = fieldsOf(exchange.sent)
  const [{ finish_reason: reason, ...choice }] = choices as [Fields]
  const hasLogprobs = typeof choice['logprobs'] === 'object' && choice['logprobs'] !== null
  const remove = [
    ...(reason === undefined ? ['choices.*.finish_reason'] : []),
    ...(choice['message'] === undefined ? ['choices.*.message'] : []),
    ...(logprobs === true && !hasLogprobs ? ['choices.*.logprobs'] : []),
    ...(ids === true && !Array.isArray(choice['token_ids']) ? ['choices.*.token_ids'] : []),
  ]
  const isOdd = reason !== undefined && !FINISH_REASONS.some((each) => each === reason)
  const set = isOdd && { set: { 'choices.*.finish_reason': reason } }
  if (remove.length === 0) return set ? [{ fault: 'edit', ...set }] : []
  return [{ fault: 'edit', remove, ...set }]
}
