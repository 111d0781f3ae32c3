import { counted } from '../../../base/text/counted.js'
import { parseJson } from '../../../base/text/json-text.js'
import { didYouMean } from '../../../base/text/nearest.js'
import { messageRoles } from '../../contract/message.js'
import type { ChatMessage } from '../../scenario/chat-facts.js'
import type { Conversation } from '../chat/prompt.js'
import { hash128 } from '../../../base/random/random.js'
import type { NotTextError } from '../../../base/text/text-lines.js'
import { isRecord } from '../../contract/pydantic/record.js'
import { doubtsAbout, lineFormat, rowFormat, similarKey } from './row-format.js'
import type { SftConfig } from './sft-config.js'
import { messageLength } from './submitted-answers.js'
import { estimatedTokens } from './trainable.js'

/** The figures of an SFT data file. */
export interface TrainingData {
  /** The number of examples, without those that were too long. */
  lines: number
  /** The number of examples that were too long. */
  dropped: number
  /** Estimated: four characters are one token. */
  tokens: number
  trainableTokens: number
  /** A hash of the content. Submitting the same data again returns the same job. */
  digest: string
  /** Why training cannot use the data: the first bad line and its problem. It never quotes the line. */
  flaw?: string | undefined
  /** What may be wrong with the first row that a job accepts, and makes little sense. */
  doubt?: string | undefined
}

/** Opens the file or web address that a `training_data_url` names. */
export type OpenTrainingData = (url: string) => Promise<AsyncIterable<string> | Unavailable>

/** The reason why the data cannot be read. The API answers 400 with it. */
export class Unavailable {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

/** Whether a URL names an artifact. It then has a scheme other than `file`, `http` and `https`. */
export function isArtifact(url: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase()
  return scheme !== undefined && !['file', 'http', 'https'].includes(scheme)
}

/**
 * Reads JSON Lines to the end. Each line must be `{"messages": [{role, content}, …], "tools"?: […]}`, or
 * blank. If a line is bad, the job fails when training starts. A line that is too long is dropped.
 */
export async function readTrainingData(
  lines: AsyncIterable<string>,
  { turns = 'all', isOverlong = () => false }: ReadOptions = {},
): Promise<TrainingData> {
  let number = 0
  let examples = 0
  let dropped = 0
  let characters = 0
  let trainable = 0
  let digest = ''
  let flaw: string | undefined
  let doubted = 0
  let first = ''
  for await (const line of lines) {
    number++
    if (line.trim() === '') continue
    digest = hash128(digest + line).join('.')
    const found = readExample(line)
    if (typeof found !== 'string' && isOverlong(found)) {
      dropped++
      continue
    }
    // A bad line counts as well, although the job fails because of it.
    examples++
    characters += line.length
    if (typeof found === 'string') {
      flaw ??= `Invalid training data at line ${number}: ${found}`
      continue
    }
    trainable += trainableCharacters(found, turns)
    const [doubt] = doubtsAbout(found.messages)
    if (doubt !== undefined && doubted++ === 0) first = `line ${number}: ${doubt}`
  }
  if (examples + dropped === 0) flaw = 'Invalid training data: the file has no lines'
  return {
    lines: examples,
    dropped,
    tokens: estimatedTokens(characters),
    trainableTokens: estimatedTokens(trainable),
    digest,
    flaw,
    ...(doubted > 0 && {
      doubt: doubted === 1 ? first : `${first} (and ${counted(doubted - 1, 'more line')})`,
    }),
  }
}

/** The figures of a file that is not lines of text. */
export function unreadableData(url: string, { message }: NotTextError): TrainingData {
  const nothing = { lines: 0, dropped: 0, tokens: 0, trainableTokens: 0 }
  return { ...nothing, digest: url, flaw: `Invalid training data: ${message}` }
}

interface ReadOptions {
  /** Which answers of an example are trained. */
  turns?: AssistantTurns | undefined
  isOverlong?: (example: Conversation) => boolean
}

type AssistantTurns = NonNullable<NonNullable<SftConfig>['assistant_turns']>

/** Returns the conversation of a line of SFT data, or what is wrong with it. It never quotes the line. */
export function readExample(line: string): Conversation | string {
  const example = parseJson(line)
  if (example === undefined) return withHint('not valid JSON', lineFormat(line))
  if (!isRecord(example)) return withHint('not a JSON object', lineFormat(line))
  const { messages, tools } = example
  if (!Array.isArray(messages) || messages.length === 0) {
    const hint = rowFormat(example)
    return withHint('"messages" must be a list with at least one message', hint)
  }
  if (tools !== undefined && tools !== null && !Array.isArray(tools))
    return '"tools" must be a list'
  for (const [index, message] of messages.entries()) {
    const { role, content } = Object(message) as Record<string, unknown>
    if (typeof role !== 'string' || !messageRoles.includes(role)) {
      const isShareGpt = isRecord(message) && 'from' in message && 'value' in message
      const hint = isShareGpt ? rowFormat({ conversations: messages }) : ROLE_HINTS.get(role)
      const problem = `messages[${index}].role must be one of ${messageRoles.join(', ')}`
      if (hint !== undefined) return withHint(problem, hint)
      if (typeof role !== 'string') return problem + similarKey('role', message)
      // It quotes only what is nearly a role.
      const meant = didYouMean(role, messageRoles, (known) => `"${known}" by "${role}"`)
      return meant === '' ? problem : `${problem}.${meant}`
    }
    if (content === undefined && role !== 'assistant')
      return `messages[${index}].content is missing${similarKey('content', message)}`
  }
  return { messages: messages as ChatMessage[], body: { tools } }
}

/** What other formats call the roles. */
const ROLE_HINTS: ReadonlyMap<unknown, string> = new Map([
  ['human', 'human is user'],
  ['gpt', 'gpt is assistant'],
  ['bot', 'bot is assistant'],
  ['model', 'model is assistant'],
  ['ai', 'ai is assistant'],
])

function withHint(problem: string, hint: string | undefined): string {
  return hint === undefined ? problem : `${problem}; ${hint}`
}

/** Returns the number of characters in the assistant messages of an example that are trained. */
function trainableCharacters({ messages }: Conversation, turns: AssistantTurns): number {
  const answers = messages.filter(({ role }) => role === 'assistant')
  const trained = turns === 'last' ? answers.slice(-1) : answers
  return trained.reduce((sum, answer) => sum + messageLength(answer), 0)
}
