import { didYouMean } from '../../../base/text/nearest.js'
import { parseJson } from '../../../base/text/json-text.js'
import { isRecord } from '../../contract/pydantic/record.js'
import { messageLength } from './submitted-answers.js'

type Json = Readonly<Record<string, unknown>>

/** What people have in files in place of a line of JSON, and what to do. */
const LINES: readonly (readonly [is: (line: string) => boolean, what: string])[] = [
  [(line) => line.startsWith('['), "a JSON array: write a line for each row, as jq -c '.[]' does"],
  [
    (line) => /^(?:[\]},]+|\{|"(?:[^"\\]|\\.)*"\s*:.*)$/.test(line),
    'a part of a row: write each row on one line, as jq -c does',
  ],
  [
    (line) => line.endsWith(',') && parseJson(line.slice(0, -1)) !== undefined,
    'a row with a comma at its end: remove the comma',
  ],
  [(line) => /^\{\s*'/.test(line), 'a dict as Python prints it: write rows with json.dumps'],
  [(line) => line.startsWith('<'), 'HTML or XML: look at what was downloaded'],
  [(line) => line.startsWith('version https://git-lfs'), 'a pointer of Git LFS: run git lfs pull'],
  [(line) => /.[,;\t]/.test(line) && !/[{}[\]]/.test(line), 'CSV: write each row as a JSON object'],
]

/** Whether a line can only begin a JSON value that goes on in the next lines. */
export function beginsLongValue(line: string): boolean {
  return /^\s*[[{]\s*$/.test(line)
}

/** Says what a line is that is not a JSON object, and what to do. It never quotes the line. */
export function lineFormat(line: string): string | undefined {
  const trimmed = line.trim()
  return LINES.find(([is]) => is(trimmed))?.[1]
}

/** What rows of other formats of SFT have of a conversation, by the keys that they have. */
const FORMATS: Readonly<Record<string, string>> = {
  'prompt completion': 'the prompt as a user message and the completion as an assistant message',
  conversations: 'each "value" as "content", and "from" as "role": human is user, gpt is assistant',
  'instruction output':
    'the instruction, with its input, as a user message and the output as an assistant message',
  'question answer': 'the question as a user message and the answer as an assistant message',
  preferred_output: 'the input with the preferred output: preferences cannot be trained',
  'chosen rejected': 'the prompt with the chosen answer: preferences cannot be trained',
  contents:
    'each of "contents" as a message: its text as "content", and the role model is assistant',
}

/** Says how to write a row of another format of SFT data as messages. Undefined if its keys are unknown. */
export function rowFormat(row: Json): string | undefined {
  const isIn = (keys: string): boolean => keys.split(' ').every((key) => key in row)
  const what = Object.entries(FORMATS).find(([keys]) => isIn(keys))?.[1]
  return what && `write it as {"messages": [{"role": …, "content": …}, …]}: ${what}`
}

/** Says which key was probably meant to be one that is missing. Empty if none is similar. */
export function similarKey(key: string, record: unknown): string {
  const names = Object.keys(Object(record)).filter((name) => !['role', 'type', key].includes(name))
  const hint = didYouMean(key, names, (name) => `"${key}" by ${JSON.stringify(name)}`)
  return hint && `.${hint}`
}

/** Says what may be wrong with the messages of an SFT row that the service accepts. */
export function doubtsAbout(messages: readonly Json[]): string[] {
  const doubts: string[] = []
  if (!messages.some(({ role }) => role === 'assistant')) {
    doubts.push('it has no answer, so it trains nothing: add an assistant message, or drop the row')
  }
  for (const [index, message] of messages.entries()) {
    const place = `messages[${index}]`
    if (typeof (message['content'] ?? '') !== 'string' && !Array.isArray(message['content'])) {
      doubts.push(`${place}.content is neither a text nor a list of parts: write a text`)
      continue
    }
    if (message['role'] !== 'assistant') continue
    const empty = emptyAnswer(message)
    if (empty !== undefined) doubts.push(`${place} ${empty}`)
    const before = messages[index - 1]
    if (before?.['role'] === 'assistant' && !hasCalls(before)) {
      doubts.push(
        `messages[${index - 1}] and ${place} are two answers in a row: join them, or add what the user said`,
      )
    }
  }
  return doubts
}

/** Says that a message is an answer without content. Undefined if it is none. */
export function emptyAnswer(message: Json): string | undefined {
  if (message['role'] !== 'assistant' || !isEmpty(message)) return undefined
  const toDo = similarKey('content', message) || ': write its content, or leave it out'
  return `is an empty answer${toDo}`
}

function isEmpty(message: Json): boolean {
  const { content, refusal, function_call: call } = message
  if (hasCalls(message) || isRecord(call) || typeof refusal === 'string') return false
  return typeof content === 'string' ? content.trim() === '' : messageLength(message) === 0
}

function hasCalls({ tool_calls: calls }: Json): boolean {
  return Array.isArray(calls) && calls.length > 0
}
