import { isJson } from '../../../../base/text/json-text.js'
import type { LearnerRule } from '../../../scenario/scenario.js'
import type { Lessons } from '../../jobs/lessons.js'
import type { FilledReply } from '../answer.js'
import { toolsToCall, type ChatParams } from '../chat-params.js'
import type { Draws } from '../draws.js'
import { chanceAt } from '../policy.js'
import type { ChatRequest } from '../request.js'
import type { Sentences } from '../sentences.js'
import {
  candidatesFor,
  HEAVIEST,
  LONG_SENTENCE,
  SHORT_SENTENCE,
  type Prompt,
} from './candidates.js'
import { kindOfCandidate, PromptKey, rememberedOf, type LessonMessage } from './lesson.js'

interface Learning {
  rule: LearnerRule
  request: ChatRequest
  prompt: Prompt
  lessons: Lessons
  sentences: Sentences
  /** Fills in the placeholders of a text. */
  fill: (text: string) => string
}

/** An answer that can be tried. `make` returns undefined for the default answer. */
interface Option {
  kinds: readonly string[]
  weight: number
  make: (draws: Draws) => FilledReply | undefined
}

/** Answers a chat with what a checkpoint has learned, or tries something else. */
export class Learner {
  readonly #request: ChatRequest
  readonly #chance: number
  readonly #known: LessonMessage | undefined
  readonly #options: readonly Option[]
  /** The options of the kind that was best so far. Empty if nothing was learned. */
  readonly #preferred: readonly Option[]

  constructor(learning: Learning) {
    const { rule, request, lessons } = learning
    const { served, params } = request
    this.#request = request
    this.#options = optionsFor(learning)
    if (served.kind === 'base') {
      this.#chance = chanceAt(rule, 0)
      this.#preferred = []
      return
    }
    const place = { model: served.model.record.id, step: served.checkpoint.step }
    this.#chance = chanceAt(rule, lessons.stepsUpTo(place))
    const known = lessons.best({ ...place, prompt: PromptKey.of(params.messages) })?.message
    this.#known = known && isUsable(known, params) ? known : undefined
    this.#preferred = bestOf(this.#options, lessons.kindsUpTo(place))
  }

  /** Returns an answer. Undefined asks for the default answer. */
  answer(draws: Draws): FilledReply | undefined {
    const usesLessons = draws.unit('policy') < this.#chance
    if (usesLessons && this.#known) return this.#known
    const usesHabit = usesLessons || draws.unit('habit') < this.#chance
    const options = usesHabit && this.#preferred.length > 0 ? this.#preferred : this.#options
    const filled = pick(options, draws)?.make(draws)
    return filled && isUsable(filled, this.#request.params) ? filled : undefined
  }
}

function pick(options: readonly Option[], draws: Draws): Option | undefined {
  const total = options.reduce((sum, { weight }) => sum + weight, 0)
  let left = draws.unit('explore') * total
  return options.find(({ weight }) => (left -= weight) < 0) ?? options.at(-1)
}

/** Returns the options whose kind was the best. Empty if no kind was better than the others. */
function bestOf(options: readonly Option[], means: ReadonlyMap<string, number>): Option[] {
  const scored = options.map((option) => {
    return { option, score: Math.max(...option.kinds.map((kind) => means.get(kind) ?? -Infinity)) }
  })
  const best = Math.max(0, ...scored.map(({ score }) => score))
  return best === 0 ? [] : scored.filter(({ score }) => score === best).map(({ option }) => option)
}

function optionsFor({ rule, request, prompt, sentences, fill }: Learning): Option[] {
  const { params } = request
  const own = rule.candidates.flatMap((candidate): Option[] => {
    const message = rememberedOf(candidate, fill)
    if (!isUsable(message, params)) return []
    const { finish_reason } = typeof candidate === 'string' ? {} : candidate
    const make = (): FilledReply => ({ ...message, finish_reason })
    return [{ kinds: [kindOfCandidate(candidate)], weight: 2, make }]
  })
  if (isStructured(params)) {
    return [...own, { kinds: ['default answer'], weight: 2, make: () => undefined }]
  }
  const suggested = candidatesFor(prompt).map(({ text, kinds, weight }): Option => {
    return { kinds, weight, make: () => ({ content: text }) }
  })
  // Half of what an untrained model says has nothing to do with the prompt, unless it shows the form of an answer.
  const weights = [...own, ...suggested].map(({ weight }) => Math.min(weight, HEAVIEST))
  const weight = weights.reduce((sum, each) => sum + each, 0) / 2
  const invent = (kind: string, count: number): Option => ({
    kinds: [kind],
    weight,
    make: (draws) => ({ content: sentences.phrases(count, draws.units('sentences')) }),
  })
  return [...own, ...suggested, invent(SHORT_SENTENCE, 1), invent(LONG_SENTENCE, 3)]
}

/** Whether the answer must be JSON or a tool call. */
function isStructured(params: ChatParams): boolean {
  return params.format !== 'text' || toolsToCall(params).length > 0
}

/** Whether a message is possible as the answer to a request. */
function isUsable({ content, tool_calls: calls = [] }: LessonMessage, params: ChatParams): boolean {
  const { tools, toolChoice, format } = params
  if (calls.length > 0) {
    const names = typeof toolChoice === 'object' ? [toolChoice.name] : tools.map(({ name }) => name)
    return toolChoice !== 'none' && calls.every(({ name }) => names.includes(name))
  }
  if (typeof toolChoice === 'object' || toolChoice === 'required') return false
  return format === 'text' || content === undefined || isJson(content)
}
