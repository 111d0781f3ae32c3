import type { SeededRandom } from '../../../../base/random/random.js'
import { matchesText, type Finder } from '../match.js'
import type { JudgeMistake, JudgeRules } from '../../../scenario/scenario.js'
import type { JudgedText } from '../../../scenario/schema/judge.js'
import { parseJson } from '../../../../base/text/json-text.js'
import { partOf } from '../../../../base/text/json-pointer.js'
import { isRecord, recordsIn, setOwn } from '../../../contract/pydantic/record.js'
import { contentText, type ChatMessage } from '../../../scenario/chat-facts.js'
import type { FilledReply } from '../answer.js'
import type { JsonSchema } from '../answer-format.js'
import type { Structures } from '../structures.js'
import type { Judging } from './judging.js'
import { mistakeNamed, NO_SCORE, type Mistake } from './mistakes.js'
import { explain, fitted, rangeOf, scoreAt, type Score } from './score.js'
import { choicesOf, type ListShape, type Schema, type ScoreShape } from './shape.js'

/** What an answer of a judge needs. */
export interface JudgeWorld {
  random: SeededRandom
  structures: Structures
  finder: Finder
  rules: JudgeRules | undefined
}

/**
 * Scores the texts of a request. Of a list of messages, only the last message of the model counts: clients leave
 * out the messages before it if all texts of a group share them. The same text always has the same score.
 */
export function judgment(
  judging: Judging,
  world: JudgeWorld,
  mistake: JudgeMistake | undefined,
): FilledReply {
  const wrong = mistakeNamed(mistake, judging.kind)
  if (wrong.reply) return wrong.reply
  const right = new ScoreWriter(judging, world, wrong).text()
  const text = wrong.text?.(right) ?? right
  if (judging.tool === undefined) return { content: text }
  return { tool_calls: [{ name: judging.tool, arguments: text }] }
}

class ScoreWriter {
  readonly #judging: Judging
  readonly #world: JudgeWorld
  readonly #mistake: Mistake

  constructor(judging: Judging, world: JudgeWorld, mistake: Mistake) {
    this.#judging = judging
    this.#world = world
    this.#mistake = mistake
  }

  text(): string {
    const judging = this.#judging
    const { write, judged, shape } = judging
    if (judging.kind === 'list') return JSON.stringify(this.#list(judging.shape))
    const scored = this.#object(shape, { id: '', text: judged.get('')! }, {})
    if (!write) return JSON.stringify(scored)
    return shape.score in scored ? write(String(scored[shape.score])) : NO_SCORE
  }

  #list(shape: ListShape): unknown {
    const { judged, schema } = this.#judging
    const { path } = shape
    const right = [...judged].map(([id, text]) => {
      return this.#object(
        shape,
        { id, text },
        { [shape.id]: shape.hasNumericIds ? Number(id) : id },
      )
    })
    const items = this.#mistake.list?.(right, shape) ?? right
    const whole =
      path.length === 0 ? undefined : this.#draw(schema, [...judged.values()].join('\n'))
    return withItems(whole, path, items)
  }

  #object(
    shape: ScoreShape,
    { id, text }: { id: string; text: string },
    own: Readonly<Record<string, unknown>>,
  ): Record<string, unknown> {
    const { score: main, numbers, texts, verdicts, fields } = shape
    const judged: JudgedText = { id, text, answer: answerIn(text), model: this.#judging.model }
    const value = this.#draw(shape.schema, judged.answer) as Record<string, unknown>
    const field = fields[main]!
    const choices = choicesOf(field)
    const score = this.#scoreOf(judged, choices ? SHARE : field)
    for (const name of numbers) {
      if (!Object.hasOwn(value, name)) continue
      setOwn(value, name, this.#drawn(`${name}\n${judged.answer}`, fields[name]!).value)
    }
    for (const name of texts) {
      const { minLength = 0, maxLength = Infinity } = fields[name] as Lengths
      const explanation = explain(score).slice(0, maxLength)
      if (explanation.length >= minLength) setOwn(value, name, explanation)
    }
    for (const name of verdicts) if (name in value) value[name] = score.share >= 0.5
    const answered = choices ? this.#choose(choices, score) : score.value
    this.#judging.given.set(id, String(answered) + this.#ruleText(score))
    const scored = { ...value, [main]: answered, ...own }
    return this.#mistake.object?.(scored, shape) ?? scored
  }

  #choose(choices: readonly unknown[], { share }: Score): unknown {
    if (this.#mistake.score) return 'neither'
    return choices[Math.min(choices.length - 1, Math.floor(share * choices.length))]
  }

  #draw(schema: JsonSchema, text: string): unknown {
    const [seed] = this.#world.random.hash('judge fields', text)
    return this.#world.structures.make(schema, { seed, at: this.#judging.at, isObject: true })
  }

  /** Says which rule gave a score, and whether the prompt asks for another one. */
  #ruleText({ value, rule }: Score): string {
    if (!rule) return ''
    const { number, says } = rule
    if (says !== value) return ` (rule ${number} says ${says})`
    const [least, most] = this.#judging.scale ?? [-Infinity, Infinity]
    const isOutside = value < least || value > most
    return ` by rule ${number}${isOutside ? `, outside of ${least} to ${most}` : ''}`
  }

  #scoreOf(judged: JudgedText, field: Schema): Score {
    const range = rangeOf(field, this.#judging.scale)
    const wrong = this.#mistake.score?.(range, field)
    if (wrong !== undefined) return { value: wrong, share: 1 }
    for (const [index, { match, score }] of (this.#world.rules?.rules ?? []).entries()) {
      if (!matchesJudged(judged, match, this.#world.finder)) continue
      const says = typeof score === 'function' ? score(judged) : score
      const wanted = this.#judging.isWhole === false ? { ...field, type: 'number' } : field
      return { ...fitted(says, range, wanted), rule: { number: index + 1, says } }
    }
    return this.#drawn(judged.answer, field)
  }

  #drawn(text: string, field: Schema): Score {
    const unit = this.#world.random.unit('judge', text)
    return scoreAt(unit, rangeOf(field, this.#judging.scale), field)
  }
}

/** Puts a list into an answer, at the names that lead to it. Clients choose the names. */
function withItems(whole: unknown, [name, ...rest]: readonly string[], items: unknown): unknown {
  if (name === undefined) return items
  const object = isRecord(whole) ? whole : {}
  setOwn(object, name, withItems(partOf(object, name), rest, items))
  return object
}

/** What a verdict is chosen by. */
const SHARE: Schema = { type: 'number', minimum: 0, maximum: 1 }

interface Lengths {
  minLength?: number
  maxLength?: number
}

/** Returns the text of a message, or its tool calls without their ids. */
function saidIn(message: ChatMessage): string {
  const text = contentText(message)
  const { tool_calls: calls } = message
  if (text !== '' || !Array.isArray(calls)) return text
  return JSON.stringify(calls.map((call) => (Object(call) as { function?: unknown }).function))
}

/** Whether a rule of a judge matches a text, or the last message of the model in it. */
export function matchesJudged(
  judged: JudgedText,
  match: JudgeRules['rules'][number]['match'],
  finder: Finder,
): boolean {
  if (match === undefined) return true
  if (typeof match === 'function') return match(judged)
  return [judged.answer, judged.text].some((text) => matchesText(text, match, finder))
}

/** Returns what the model said last, if a text is a list of messages in JSON. Otherwise the whole text. */
export function answerIn(text: string): string {
  const messages = text.startsWith('[') ? recordsIn(parseJson(text)) : []
  const last = messages.findLast(({ role }) => role === 'assistant')
  return last === undefined ? text : saidIn(last)
}
