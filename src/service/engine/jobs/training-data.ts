import { parseJson } from '../../../base/text/json-text.js'
import type { Infer } from '../../contract/pydantic/schema.js'
import type { createSftTrainingJob } from '../../contract/training-job.js'
import type { ChatMessage } from '../../scenario/chat-facts.js'
import type { Conversation } from '../chat/prompt.js'
import { hash128 } from '../../../base/random/random.js'

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

/** The settings of an SFT job. */
export type SftConfig = Infer<typeof createSftTrainingJob>['config']

/** The number of examples of each gradient step. A batch size of `auto` counts as 1. */
export function batchSizeOf(config: SftConfig): number {
  const { batch_size: size } = config ?? {}
  return typeof size === 'number' ? Math.max(1, size) : 1
}

/** The number of examples in an artifact of a job without a list of learning rates. */
const ASSUMED_EXAMPLES = 8
/** A list of a million rates must not make a job of a billion examples. */
const MOST_EXAMPLES = 1_000_000

/** The number of examples that an artifact probably has: a client sends one learning rate for each batch of its data. */
export function assumedExamples(config: SftConfig): number {
  const { learning_rate: rates } = config ?? {}
  if (!Array.isArray(rates) || rates.length === 0) return ASSUMED_EXAMPLES
  return Math.min(MOST_EXAMPLES, rates.length * batchSizeOf(config))
}

/** Returns assumed figures for an artifact, because the emulator cannot open it. */
export function assumedData(url: string, lines: number): TrainingData {
  const tokens = lines * ASSUMED_TOKENS_PER_LINE
  return { lines, dropped: 0, tokens, trainableTokens: tokens / 2, digest: url }
}

const ASSUMED_TOKENS_PER_LINE = 256
const CHARACTERS_PER_TOKEN = 4

/**
 * Reads JSON Lines to the end. Each line must be `{"messages": [{role, content}, …], "tools"?: […]}`, or
 * blank. If a line is bad, the job fails when training starts. A line that is too long is dropped.
 */
export async function readTrainingData(
  lines: AsyncIterable<string>,
  isOverlong: (example: Conversation) => boolean = () => false,
): Promise<TrainingData> {
  let number = 0
  let examples = 0
  let dropped = 0
  let characters = 0
  let trainable = 0
  let digest = ''
  let flaw: string | undefined
  for await (const line of lines) {
    number++
    if (line.trim() === '') continue
    digest = hash128(digest + line).join('.')
    const found = readExample(line)
    if (typeof found === 'string') flaw ??= `Invalid training data at line ${number}: ${found}`
    else if (isOverlong(found)) {
      dropped++
      continue
    } else trainable += trainableCharacters(found)
    examples++
    characters += line.length
  }
  if (examples + dropped === 0) flaw = 'Invalid training data: the file has no lines'
  return {
    lines: examples,
    dropped,
    tokens: Math.ceil(characters / CHARACTERS_PER_TOKEN),
    trainableTokens: Math.ceil(trainable / CHARACTERS_PER_TOKEN),
    digest,
    flaw,
  }
}

const ROLES = new Set(['developer', 'system', 'user', 'assistant', 'tool', 'function'])

/** Returns the conversation of a line of SFT data, or what is wrong with it. It never quotes the line. */
export function readExample(line: string): Conversation | string {
  const example = parseJson(line)
  if (example === undefined) return 'not valid JSON'
  if (typeof example !== 'object' || example === null || Array.isArray(example)) {
    return 'not a JSON object'
  }
  const { messages, tools } = example as Record<string, unknown>
  if (!Array.isArray(messages) || messages.length === 0) {
    return '"messages" must be a list with at least one message'
  }
  if (tools !== undefined && tools !== null && !Array.isArray(tools))
    return '"tools" must be a list'
  for (const [index, message] of messages.entries()) {
    const { role, content } = Object(message) as Record<string, unknown>
    if (typeof role !== 'string' || !ROLES.has(role)) {
      return `messages[${index}].role must be one of ${[...ROLES].join(', ')}`
    }
    if (content === undefined && role !== 'assistant')
      return `messages[${index}].content is missing`
  }
  return { messages: messages as ChatMessage[], body: { tools } }
}

/** Returns the number of characters in the assistant messages of an example. */
function trainableCharacters({ messages }: Conversation): number {
  let sum = 0
  for (const { role, content } of messages) {
    if (role === 'assistant' && typeof content === 'string') sum += content.length
  }
  return sum
}
