import { isDuration } from '../../../base/text/duration.js'
import { isRecord } from '../../contract/pydantic/record.js'
import { FINISH_REASONS } from '../../scenario/finish-reasons.js'
import { formatValue } from '../../scenario/issue-text.js'
import type { ChatRule, Reply, Scenario } from '../../scenario/scenario.js'
import type { ScenarioError } from '../../scenario/scenario-error.js'
import { functionFailure } from '../../scenario/scenario-function.js'

/**
 * Checks what an answer function of a scenario returned. The schema of scenarios cannot do it: the engine does not load
 * it. Undefined asks for the default answer.
 *
 * @throws {ScenarioError} When it is no answer.
 */
export function functionReply(
  reply: unknown,
  rule: ChatRule,
  { name, chat }: Scenario,
): Reply | undefined {
  if (reply === undefined || isText(reply)) return reply
  const unusable = (what: string): ScenarioError => {
    const message =
      `an answer function returned ${formatValue(reply)}, and ${what} cannot be used. ` +
      'Return a text, { content, refusal, tool_calls: [{ name, arguments }], finish_reason }, or { error: 400 to 599, message, retry_after }.'
    const place = `chat.rules[${chat.rules.indexOf(rule)}]`
    return functionFailure(`the scenario "${name}"`, { place, message })
  }
  if (!isRecord(reply)) throw unusable('it')
  const fields = Object.hasOwn(reply, 'error') ? OF_ERRORS : OF_MESSAGES
  for (const [key, value] of Object.entries(reply)) {
    const isRight = Object.hasOwn(fields, key) && (value === undefined || fields[key]!(value))
    if (!isRight) throw unusable(`its ${key}`)
  }
  return reply
}

type Fields = Readonly<Record<string, (value: unknown) => boolean>>

const OF_ERRORS: Fields = {
  error: (value) => Number.isInteger(value) && Number(value) >= 400 && Number(value) <= 599,
  message: isText,
  retry_after: (value) => isText(value) && isDuration(value),
}

const OF_MESSAGES: Fields = {
  content: isText,
  refusal: isText,
  tool_calls: (value) => Array.isArray(value) && value.length > 0 && value.every(isCall),
  finish_reason: (value) => FINISH_REASONS.some((each) => each === value),
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isCall(value: unknown): boolean {
  if (!isRecord(value) || !isText(value['name'])) return false
  const { arguments: args } = value
  return args === undefined || isText(args) || isRecord(args)
}
