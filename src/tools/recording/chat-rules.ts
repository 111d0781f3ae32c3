import { textOf } from '../../service/scenario/chat-facts.js'
import { fieldsOf, isAccepted, isChat, listIn, textIn, type Exchange } from './exchanges.js'
import type { ScenarioPart } from './lifecycles.js'
import type { RecordedKind } from './recording.js'

/** A rule needs at least the text of the prompt. Longer lists of rules are of no use to a reader. */
const MOST_RULES = 200

/** Writes the answers of chats as rules, by the last user message. */
export function chatRules(
  exchanges: readonly Exchange[],
  contents: 'redacted' | 'recorded' | undefined,
  kind: RecordedKind,
): { rules: ScenarioPart[]; notes: string[] } {
  const chats = exchanges.filter(hasTakenTurn)
  if (chats.length === 0) return { rules: [], notes: [] }
  const notes: string[] = []
  if (contents !== 'recorded') return { rules: redactedRules(chats, { notes, kind }), notes }
  const prompts = new Map<string, Answers>()
  for (const chat of chats) {
    const choices = choicesIn(chat)
    const replies = isAccepted(chat) ? choices.map(replyOf) : []
    const [reply] = replies
    const user = lastUserMessage(chat)
    const { model } = fieldsOf(chat.sent)
    const own = prompts.get(user) ?? { replies: [], models: new Set(), isMixed: false }
    prompts.set(user, own)
    // Of an answer that did not arrive, only its turn is known.
    own.replies.push(reply)
    own.models.add(String(model))
    own.isMixed ||= replies.some((each) => JSON.stringify(each) !== JSON.stringify(reply))
  }
  const rules: ScenarioPart[] = []
  for (const [user, { replies, isMixed }] of prompts) {
    if (replies.every((reply) => reply === undefined)) continue
    if (isMixed) {
      notes.push(
        `Chats with ${JSON.stringify(shortened(user))} had different choices in one answer. A rule gives all choices the same answer, so there is none for them.`,
      )
    } else if (replies.some(hasPlaceholder)) {
      notes.push(
        `Chats with ${JSON.stringify(shortened(user))} have no rule: their answers have {{.`,
      )
    } else if (user !== '') rules.push({ match: { user: { is: user } }, ...answersOf(replies) })
  }
  const [first] = rules
  const { match: _match, ...same } = first ?? {}
  const isOne =
    rules.length === prompts.size && rules.every(({ match: _own, ...each }) => isSame(each, same))
  if (first && rules.length > 1 && isOne && 'answer' in first) return { rules: [same], notes }
  if (rules.length > MOST_RULES) {
    notes.push(`Only the first ${MOST_RULES} of ${rules.length} prompts have rules.`)
  }
  return { rules: rules.slice(0, MOST_RULES), notes }
}

interface Answers {
  replies: unknown[]
  models: Set<string>
  /** Whether the choices of one answer differ. */
  isMixed: boolean
}

/** Whether a chat got an answer, or the service had one for it that was lost on its way. */
function hasTakenTurn(exchange: Exchange): boolean {
  if (!isChat(exchange) || exchange.how === 'unfinished') return false
  return exchange.status !== undefined && exchange.status < 400
}

/** Whether two replies are equal. An unknown reply may be any. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return true
  return JSON.stringify(one) === JSON.stringify(other)
}

function hasPlaceholder(reply: unknown): boolean {
  return reply !== undefined && JSON.stringify(reply).includes('{{')
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}

/** Writes replies in their order: one, a rhythm, or a list. */
function answersOf(replies: readonly unknown[]): ScenarioPart {
  for (let length = 1; length <= Math.max(1, replies.length / 2); length++) {
    const rhythm = Array.from({ length }, (_, place) => {
      return replies.find((reply, index) => index % length === place && reply !== undefined)
    })
    const fits = replies.every((reply, index) => isSame(reply, rhythm[index % length]))
    if (!fits || rhythm.includes(undefined)) continue
    return length === 1 ? { answer: rhythm[0] } : { answers: rhythm, repeat: true }
  }
  let before = replies.find((reply) => reply !== undefined)
  return { answers: replies.map((reply) => (before = reply ?? before)) }
}

/** Whether a HAR file or a report has the length of a text in its place. */
function isHidden(text: string): boolean {
  return /^\[\d+ characters?\]$/.test(text)
}

/** What a redacted recording still says: that a model called tools, and which. */
function redactedRules(
  chats: readonly Exchange[],
  { notes, kind }: { notes: string[]; kind: RecordedKind },
): ScenarioPart[] {
  const choices = chats.flatMap(choicesIn)
  const called = choices.flatMap(({ message }) => toolCallsIn(message))
  const names = [...new Set(called.flatMap(({ name }) => textIn(name) ?? []))].filter(
    (name) => !isHidden(name),
  )
  const reasons = new Map<string, number>()
  for (const { finish_reason: reason } of choices) {
    if (typeof reason === 'string') reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  const ends = [...reasons].map(([reason, count]) => `${count} × ${reason}`).join(', ')
  notes.push(
    `The contents of ${chats.length} ${chats.length === 1 ? 'chat' : 'chats'} were not recorded, so answers are invented. Their finish reasons: ${ends || 'unknown'}. ${kind === 'recording' ? 'Record with --contents' : 'Write the file without --without-contents'} to have them.`,
  )
  const answers = names.map((name) => ({ tool_calls: [{ name }] }))
  return answers.length === 0
    ? []
    : [{ match: { tools: names.length === 1 ? names[0] : names }, ...answersOf(answers) }]
}

interface Choice {
  message: Readonly<Record<string, unknown>>
  finish_reason: unknown
}

function lastUserMessage({ sent }: Exchange): string {
  const messages = listIn(fieldsOf(sent)['messages']).map(fieldsOf)
  const last = messages.findLast(({ role }) => role === 'user')
  return last ? textOf(last) : ''
}

/** Returns the choices of a completion, or of a stream. */
function choicesIn({ received, text }: Exchange): Choice[] {
  if (received !== undefined) {
    return listIn(fieldsOf(received)['choices']).map((choice) => {
      const { message, finish_reason } = fieldsOf(choice)
      return { message: fieldsOf(message), finish_reason }
    })
  }
  const choices = new Map<number, StreamedChoice>()
  for (const [, data = ''] of text.matchAll(/^data: (\{.*)$/gm)) {
    for (const part of listIn(fieldsOf(parsed(data))['choices'])) {
      const { index, delta, finish_reason } = fieldsOf(part)
      const choice = choices.get(Number(index)) ?? { message: {}, calls: [], finish_reason: null }
      choices.set(Number(index), choice)
      choice.finish_reason = finish_reason ?? choice.finish_reason
      addDelta(choice, fieldsOf(delta))
    }
  }
  return [...choices.values()].map(({ message, calls, finish_reason }) => ({
    message: { ...message, ...(calls.length > 0 && { tool_calls: calls }) },
    finish_reason,
  }))
}

interface StreamedChoice {
  message: Record<string, unknown>
  calls: { function: { name: string; arguments: string } }[]
  finish_reason: unknown
}

function addDelta(
  { message, calls }: StreamedChoice,
  delta: Readonly<Record<string, unknown>>,
): void {
  for (const name of ['content', 'refusal']) {
    const added = textIn(delta[name])
    if (added !== undefined) message[name] = (textIn(message[name]) ?? '') + added
  }
  for (const each of listIn(delta['tool_calls'])) {
    const { index, function: called } = fieldsOf(each)
    const call = (calls[Number(index)] ??= { function: { name: '', arguments: '' } })
    const { name, arguments: text } = fieldsOf(called)
    call.function.name += textIn(name) ?? ''
    call.function.arguments += textIn(text) ?? ''
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toolCallsIn(
  message: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>>[] {
  return listIn(message['tool_calls']).map((call) => fieldsOf(fieldsOf(call)['function']))
}

/** Writes a choice as an answer of a rule. */
function replyOf({ message, finish_reason: reason }: Choice): unknown {
  const content = textIn(message['content'])
  const refusal = textIn(message['refusal'])
  const calls = toolCallsIn(message).map(({ name, arguments: text }) => {
    const value = parsed(String(text))
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value)
    const isCompact = isMap && JSON.stringify(value) === String(text)
    return { name, arguments: isCompact ? value : String(text) }
  })
  const usual = calls.length > 0 ? 'tool_calls' : 'stop'
  const finish = typeof reason === 'string' && reason !== usual && FINISH.includes(reason)
  if (content !== undefined && refusal === undefined && calls.length === 0 && !finish)
    return content
  return {
    ...(content !== undefined && { content }),
    ...(refusal !== undefined && { refusal }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(finish && { finish_reason: reason }),
  }
}

const FINISH = ['stop', 'length', 'tool_calls', 'content_filter']
