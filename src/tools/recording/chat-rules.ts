import { counted, countsOf, groupsOf } from '../../base/text/counted.js'
import { shortened } from '../../base/text/shortened.js'
import { contentText } from '../../service/scenario/chat-facts.js'
import { FINISH_REASONS } from '../../service/scenario/finish-reasons.js'
import { readJson } from '../../service/contract/answer-text.js'
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
import type { RecordedKind } from './recording.js'

/** Longer lists of rules are of no use to a reader. */
const MOST_RULES = 200
/** The most characters of a prompt in a comment. */
const LONGEST_PROMPT = 40

/** Writes a rule for each last user message: what was answered to it, in turn. */
export function chatRules(
  exchanges: readonly Exchange[],
  contents: 'redacted' | 'recorded' | undefined,
  kind: RecordedKind,
): { rules: ScenarioPart[]; notes: string[] } {
  const chats = exchanges.filter(hasTakenTurn)
  if (chats.length === 0) return { rules: [], notes: [] }
  if (contents !== 'recorded') return { rules: [], notes: [withoutContents(chats, kind)] }
  const notes: string[] = []
  const rules: ScenarioPart[] = []
  for (const [user, own] of groupsOf(chats, lastUserMessage)) {
    const answers = own.map((chat) => (isAccepted(chat) ? choicesIn(chat) : []))
    const why = whyNoRule(user, answers)
    if (why !== undefined) {
      notes.push(
        `Chats with ${JSON.stringify(shortened(user, LONGEST_PROMPT))} have no rule: ${why}.`,
      )
      continue
    }
    const replies = answers.map(([choice]) => choice && replyOf(choice))
    rules.push({ match: { user: { is: user } }, ...answersOf(replies) })
  }
  if (rules.length > MOST_RULES) {
    notes.push(`Only the first ${MOST_RULES} of ${rules.length} prompts have rules.`)
  }
  if (rules.length > 0) notes.push(PRIVATE)
  return { rules: rules.slice(0, MOST_RULES), notes }
}

const PRIVATE = 'The rules have what users and the model said: read them before you share the file.'

/** Whether a chat got an answer, or the service had one for it that was lost on its way. */
function hasTakenTurn(exchange: Exchange): boolean {
  if (!isChat(exchange) || exchange.how === 'unfinished') return false
  return exchange.status !== undefined && exchange.status < 400
}

function withoutContents(chats: readonly Exchange[], kind: RecordedKind): string {
  const reasons = chats.flatMap(choicesIn).map((choice) => choice['finish_reason'])
  const texts = reasons.filter((reason) => typeof reason === 'string')
  const ends = Array.from(countsOf(texts), ([reason, count]) => `${count} × ${reason}`).join(', ')
  const fix =
    kind === 'recording' ? 'Record with --contents' : 'Write the file without --without-contents'
  return `The contents of ${counted(chats.length, 'chat')} were not recorded, so answers are invented. Their finish reasons: ${ends || 'unknown'}. ${fix} to have them.`
}

function whyNoRule(user: string, answers: readonly (readonly Fields[])[]): string | undefined {
  const texts = answers.map((choices) => choices.map((choice) => JSON.stringify(replyOf(choice))))
  if (user === '') return 'they have no user message'
  if (texts.every((choices) => choices.length === 0)) return 'no answer is in the recording'
  if (texts.some((choices) => choices.some((text) => text !== choices[0]))) {
    return 'the choices of one answer differ, and a rule gives all of them the same'
  }
  return texts.flat().some((text) => text.includes('{{')) ? 'their answers have {{' : undefined
}

/** Writes replies in turn. Of one that did not arrive, only its turn is known. */
function answersOf(replies: readonly unknown[]): ScenarioPart {
  const answers: unknown[] = []
  // One that did not arrive repeats the one before it, or the first that did.
  let before = replies.find((reply) => reply !== undefined)
  for (const reply of replies) {
    before = reply ?? before
    answers.push(before)
  }
  const [first] = answers
  const isOne = answers.every((answer) => JSON.stringify(answer) === JSON.stringify(first))
  return isOne ? { answer: first } : { answers }
}

function lastUserMessage({ sent }: Exchange): string {
  const messages = listIn(fieldsOf(sent)['messages']).map(fieldsOf)
  const last = messages.findLast(({ role }) => role === 'user')
  return last ? contentText(last) : ''
}

function choicesIn({ received }: Exchange): Fields[] {
  return listIn(fieldsOf(received)['choices']).map(fieldsOf)
}

/** Writes a choice as an answer of a rule. */
function replyOf({ message, finish_reason: reason }: Fields): unknown {
  const said = fieldsOf(message)
  const content = textIn(said['content'])
  const refusal = textIn(said['refusal'])
  const calls = listIn(said['tool_calls']).map(toolCall)
  const usual = calls.length > 0 ? 'tool_calls' : 'stop'
  const isOdd = reason !== usual && FINISH_REASONS.some((each) => each === reason)
  if (content !== undefined && refusal === undefined && calls.length === 0 && !isOdd) return content
  return {
    ...(content !== undefined && { content }),
    ...(refusal !== undefined && { refusal }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(isOdd && { finish_reason: reason }),
  }
}

/** Arguments are an object if that is written in the same way. */
function toolCall(call: unknown): ScenarioPart {
  const { name, arguments: given } = fieldsOf(fieldsOf(call)['function'])
  const text = textIn(given) ?? ''
  const value = readJson(text)?.value
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value)
  return { name, arguments: isMap && JSON.stringify(value) === text ? value : text }
}
