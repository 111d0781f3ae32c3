import { jsonOrText } from '../../../../base/text/json-text.js'
import type { TrajectoryGroup } from '../../../contract/trajectory.js'
import { hash128 } from '../../../../base/random/random.js'
import { contentText, type ChatMessage } from '../../../scenario/chat-facts.js'
import type { LearnerRule } from '../../../scenario/scenario.js'
import type { FilledReply } from '../answer.js'
import { filledArguments } from '../filled-arguments.js'
import { functionOf } from '../tool-function.js'
import { literal } from './candidates.js'

/** An answer that a learner remembers. */
export type LessonMessage = Pick<FilledReply, 'content' | 'refusal' | 'tool_calls'>

/** The best known answer to a prompt. */
export interface Lesson {
  reward: number
  message: LessonMessage
}

/** What a job says about the best answer to a prompt. */
export interface TaughtLesson extends Lesson {
  /** Whether it replaces what was known even if its reward is lower: the known answer was rewarded again. */
  again: boolean
}

/** What a job teaches. It belongs to the checkpoint that the job adds. */
export interface Taught {
  /** The best known answers, by the keys of their prompts. */
  lessons: ReadonlyMap<string, TaughtLesson>
  /** For each kind of answers: how many there were, and how much better they were than others, in sum. */
  kinds: KindTotals
}

export type KindTotals = ReadonlyMap<string, readonly [count: number, sum: number]>

/** Reads what trajectories teach. Undefined if they teach nothing. */
export type ReadLessons = (
  groups: readonly TrajectoryGroup[],
  context: LessonContext,
) => Taught | undefined

export interface LessonContext {
  /** The name of the model. */
  name: string
  /** The candidates of the scenario. */
  candidates: LearnerRule['candidates']
  /** Whether an answer without log probabilities teaches nothing. */
  needsLogprobs: boolean
  /** Returns the best known answer to a prompt. */
  known: (prompt: string) => Lesson | undefined
}

/** Identifies the messages before an answer by their roles and texts. */
export class PromptKey {
  #key = ''

  /** Returns the key of several messages. */
  static of(messages: readonly ChatMessage[]): string {
    const key = new PromptKey()
    for (const message of messages) key.add(message)
    return key.value
  }

  get value(): string {
    return this.#key
  }

  add(message: ChatMessage): void {
    const words = hash128(`${this.#key}\u001f${String(message.role)}\u001f${contentText(message)}`)
    this.#key = words.map((word) => word.toString(36)).join('.')
  }
}

/** Reads an assistant message of a client. Undefined if it says nothing. */
export function rememberedFrom(message: ChatMessage): LessonMessage | undefined {
  const { refusal, tool_calls: calls } = message
  const remembered: LessonMessage = {}
  const content = contentText(message)
  if (content !== '') remembered.content = content
  if (typeof refusal === 'string' && refusal !== '') remembered.refusal = refusal
  const called = Array.isArray(calls) ? calls.flatMap(calledFrom) : []
  if (called.length > 0) remembered.tool_calls = called
  return Object.keys(remembered).length === 0 ? undefined : remembered
}

/** Fills in a candidate of the scenario. */
export function rememberedOf(
  candidate: LearnerRule['candidates'][number],
  fill: (text: string) => string,
): LessonMessage {
  if (typeof candidate === 'string') return { content: fill(candidate) }
  const { content, refusal, tool_calls: calls } = candidate
  const remembered: LessonMessage = {}
  if (content !== undefined) remembered.content = fill(content)
  if (refusal !== undefined) remembered.refusal = fill(refusal)
  if (calls) {
    remembered.tool_calls = calls.map(({ name, arguments: args = {} }) => {
      return {
        name,
        arguments: typeof args === 'string' ? fill(args) : filledArguments(args, fill),
      }
    })
  }
  return remembered
}

/** The kind of a candidate of the scenario. The placeholders stay in it, because each checkpoint fills in its own step. */
export function kindOfCandidate(candidate: LearnerRule['candidates'][number]): string {
  return literal(wordingOf(rememberedOf(candidate, (text) => text)))
}

function calledFrom(call: unknown): { name: string; arguments: string }[] {
  const { name, arguments: args } = functionOf(call)
  return typeof name === 'string' && typeof args === 'string' ? [{ name, arguments: args }] : []
}

/** Returns a text that is the same for messages that say the same. */
export function wordingOf({ content, refusal, tool_calls: calls }: LessonMessage): string {
  if (refusal === undefined && calls === undefined) return content ?? ''
  return JSON.stringify([
    content,
    refusal,
    calls?.map((call) => [call.name, jsonOrText(call.arguments)]),
  ])
}
