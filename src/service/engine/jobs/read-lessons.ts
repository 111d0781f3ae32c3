import { isRecord } from '../../contract/pydantic/record.js'
import type { Trajectory, TrajectoryGroup } from '../../contract/trajectory.js'
import { contentText, type ChatMessage } from '../../scenario/chat-facts.js'
import { fillAnswer } from '../../scenario/chat-template.js'
import { candidatesFor, kindOfText, type Prompt } from '../chat/learner/candidates.js'
import {
  kindOfCandidate,
  PromptKey,
  rememberedFrom,
  rememberedOf,
  wordingOf,
  type Lesson,
  type LessonContext,
  type LessonMessage,
  type Taught,
  type TaughtLesson,
} from '../chat/learner/lesson.js'
import { hasVariance, standardDeviation } from './batch.js'
import { chatChoice, isScored } from './evidence.js'

/** The most kinds of answers that one job reports. */
const MOST_KINDS = 256

/** The most prompts whose answers are sorted into kinds. It takes a tenth of a millisecond for each of them. */
const MOST_SORTED = 500

/**
 * Reads what trajectories teach: from each group whose rewards differ, the best answer to each prompt, and how
 * good each kind of answers was. Undefined if no group has different rewards.
 */
export function readLessons(
  groups: readonly TrajectoryGroup[],
  reader: LessonContext,
): Taught | undefined {
  const batch = new LessonReader(reader)
  for (const { trajectories = [] } of groups) batch.addGroup(trajectories)
  return batch.taught
}

/** What the trajectories of a job say about one prompt. */
interface PromptLessons {
  best: Lesson | undefined
  known: (Lesson & { wording: string; sum: number; count: number }) | undefined
  /** Returns the kinds of an answer. Undefined if there are too many prompts. */
  kindsOf: ((wording: string) => readonly string[]) | undefined
}

class LessonReader {
  readonly #reader: LessonContext
  readonly #seen = new Map<string, PromptLessons>()
  readonly #kinds = new Map<string, [number, number]>()
  #hasLearned = false

  constructor(reader: LessonContext) {
    this.#reader = reader
  }

  get taught(): Taught | undefined {
    if (!this.#hasLearned) return undefined
    const lessons = new Map<string, TaughtLesson>()
    for (const [prompt, seen] of this.#seen) {
      const lesson = lessonFrom(seen)
      if (lesson) lessons.set(prompt, lesson)
    }
    return { lessons, kinds: this.#kinds }
  }

  addGroup(trajectories: readonly Trajectory[]): void {
    const rewards = trajectories.map(({ reward = 0 }) => reward)
    if (!rewards.every(Number.isFinite) || !hasVariance(rewards)) return
    const mean = rewards.reduce((sum, each) => sum + each, 0) / rewards.length
    const deviation = standardDeviation(rewards)!
    if (!Number.isFinite(deviation)) return
    const { needsLogprobs } = this.#reader
    this.#hasLearned ||= !needsLogprobs
    for (const trajectory of trajectories) {
      const { reward = 0 } = trajectory
      for (const turn of turnsOf(trajectory)) {
        if (needsLogprobs && !turn.isScored) continue
        this.#hasLearned = true
        this.#addTurn(turn, { reward, advantage: (reward - mean) / deviation })
      }
    }
  }

  #addTurn(
    { key, messages, message }: Turn,
    { reward, advantage }: { reward: number; advantage: number },
  ): void {
    const seen = this.#promptOf(key, messages)
    const wording = wordingOf(message)
    if (seen.kindsOf) this.#credit(seen.kindsOf(wording), advantage)
    if (wording === seen.known?.wording) {
      seen.known.sum += reward
      seen.known.count++
    }
    // An answer that is worse than the others of its group is not an example, even if it is the only one.
    if (advantage > 0 && reward > (seen.best?.reward ?? -Infinity)) seen.best = { reward, message }
  }

  #credit(kinds: readonly string[], advantage: number): void {
    for (const kind of kinds) {
      const total = this.#kinds.get(kind)
      if (total) {
        total[0]++
        total[1] += advantage
      } else if (this.#kinds.size < MOST_KINDS) this.#kinds.set(kind, [1, advantage])
    }
  }

  #promptOf(key: string, messages: readonly ChatMessage[]): PromptLessons {
    const before = this.#seen.get(key)
    if (before) return before
    const known = this.#reader.known(key)
    const seen: PromptLessons = {
      best: undefined,
      known: known && { ...known, wording: wordingOf(known.message), sum: 0, count: 0 },
      kindsOf: this.#seen.size < MOST_SORTED ? this.#kindsFor(messages) : undefined,
    }
    this.#seen.set(key, seen)
    return seen
  }

  #kindsFor(messages: readonly ChatMessage[]): (wording: string) => readonly string[] {
    const prompt = promptIn(messages)
    const kinds = new Map(candidatesFor(prompt).map((each) => [each.text, each.kinds]))
    const own = ownCandidates(this.#reader, prompt, messages)
    return (wording) => {
      const chosen = own.filter(({ pieces }) => consistsOf(wording, pieces))
      const all = [...(kinds.get(wording) ?? []), ...chosen.map(({ kind }) => kind)]
      return all.length > 0 ? all : [kindOfText(wording)]
    }
  }
}

/** Returns what a job adds to what is known about a prompt. Undefined if it is nothing. */
function lessonFrom({ best, known }: PromptLessons): TaughtLesson | undefined {
  if (!known || known.count === 0) return best && { ...best, again: false }
  const reward = known.sum / known.count
  if (best && best.reward > reward) return { ...best, again: true }
  return reward === known.reward ? undefined : { reward, message: known.message, again: true }
}

function promptIn(messages: readonly ChatMessage[]): Prompt {
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer')
  const user = messages.findLast(({ role }) => role === 'user')
  return { user: user ? contentText(user) : '', system: system.map(contentText).join('\n') }
}

/** What only the chat that was answered knows: how it named the checkpoint, its tools, and what a pattern matched. */
const UNKNOWN = /\{\{\s*(?:model|step|tool|match\.\w+)\s*\}\}/g
/** Stands for it in a text. No client sends it. */
const GAP = '\uE000'

/** Returns the candidates of the scenario, as a model would say them. */
function ownCandidates(
  { name, candidates }: LessonContext,
  prompt: Prompt,
  messages: readonly ChatMessage[],
): { kind: string; pieces: readonly string[] }[] {
  const turn = messages.filter(({ role }) => role === 'user').length
  const facts = {
    ...prompt,
    model: name,
    name,
    step: 0,
    turn,
    tools: [],
    messages,
    headers: {},
    body: {},
  }
  const fill = (text: string): string => fillAnswer(text.replaceAll(UNKNOWN, GAP), facts, {})
  return candidates.map((candidate) => ({
    kind: kindOfCandidate(candidate),
    pieces: wordingOf(rememberedOf(candidate, fill)).split(GAP),
  }))
}

/** Whether a text has these pieces in this order, with anything between them. */
function consistsOf(text: string, [first = '', ...others]: readonly string[]): boolean {
  const last = others.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  for (const piece of others) {
    at = text.indexOf(piece, at)
    if (at === -1) return false
    at += piece.length
  }
  return at <= text.length - last.length
}

/** An answer of the model, with the messages before it. */
interface Turn {
  key: string
  messages: readonly ChatMessage[]
  message: LessonMessage
  /** Whether it has log probabilities. */
  isScored: boolean
}

function* turnsOf(trajectory: Trajectory): Generator<Turn> {
  const { messages_and_choices: first = [], additional_histories: others = [] } = trajectory
  for (const items of [first, ...others.map(({ messages_and_choices: all }) => all)]) {
    yield* turnsIn(items)
  }
  const { chat_completions: calls } = Object(trajectory.exchanges) as Record<string, unknown>
  for (const call of Array.isArray(calls) ? (calls as unknown[]) : []) yield* exchangedTurn(call)
}

function* turnsIn(items: readonly unknown[]): Generator<Turn> {
  const key = new PromptKey()
  const messages: ChatMessage[] = []
  for (const item of items) {
    if (!isRecord(item)) continue
    const message = isRecord(item.message) ? item.message : item
    if (message.role === 'assistant') {
      const said = rememberedFrom(message)
      const scored = message !== item && isScored(chatChoice(item))
      if (said) yield { key: key.value, messages: [...messages], message: said, isScored: scored }
    }
    key.add(message)
    messages.push(message)
  }
}

/** Reads an exchange that a client captured. */
function* exchangedTurn(call: unknown): Generator<Turn> {
  const { request, response } = Object(call) as Record<string, unknown>
  const { messages } = Object(request) as Record<string, unknown>
  const { choices } = Object(response) as Record<string, unknown>
  const [choice] = Array.isArray(choices) ? (choices as unknown[]) : []
  if (!Array.isArray(messages) || !messages.every(isRecord) || !isRecord(choice)) return
  const { message } = choice
  const said = isRecord(message) ? rememberedFrom(message) : undefined
  const scored = isScored(chatChoice(choice))
  if (said) yield { key: PromptKey.of(messages), messages, message: said, isScored: scored }
}
