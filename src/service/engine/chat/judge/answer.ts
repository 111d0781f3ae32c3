import type { SeededRandom } from '../../../../base/random/random.js'
import { matchesText, type Finder } from '../match.js'
import type { JudgeMistake, JudgeRules } from '../../../scenario/scenario.js'
import type { JudgedText } from '../../../scenario/schema/judge.js'
import { isRecord } from '../../../contract/pydantic/record.js'
import { textOf, type ChatMessage } from '../../../scenario/chat-facts.js'
import type { FilledReply } from '../answer.js'
import type { JsonSchema } from '../answer-format.js'
import type { Structures } from '../structures.js'
import type { Judging } from './judging.js'
import { typeOf, type Schema, type ScoreShape } from './shape.js'

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
  if (mistake === 'refusal') return { refusal: 'I cannot judge these texts.' }
  const scored = new ScoreWriter(judging, world, mistake)
  const value = judging.kind === 'single' ? scored.single() : scored.list()
  const text = withMistake(JSON.stringify(value), mistake)
  if (judging.tool === undefined) return { content: text }
  return { tool_calls: [{ name: judging.tool, arguments: text }] }
}

function withMistake(json: string, mistake: JudgeMistake | undefined): string {
  if (mistake === 'fenced') return `\`\`\`json\n${json}\n\`\`\``
  if (mistake === 'not_json') return 'The first one is better, because it is clearer.'
  return json
}

class ScoreWriter {
  readonly #judging: Judging
  readonly #world: JudgeWorld
  readonly #mistake: JudgeMistake | undefined

  constructor(judging: Judging, world: JudgeWorld, mistake: JudgeMistake | undefined) {
    this.#judging = judging
    this.#world = world
    this.#mistake = mistake
  }

  single(): unknown {
    const { shape, judged } = this.#judging
    return this.#object(shape, { id: '', text: judged.get('')! }, {})
  }

  list(): unknown {
    const { judged, schema } = this.#judging
    const { path } = this.#listShape
    const items = this.#withMistake(
      [...judged].map(([id, text]) => {
        return this.#object(this.#listShape, { id, text }, { [this.#listShape.id]: this.#idOf(id) })
      }),
    )
    if (path.length === 0) return items
    const whole = this.#draw(schema, [...judged.values()].join('\n'))
    let place = whole as Record<string, unknown>
    for (const name of path.slice(0, -1)) {
      if (!isRecord(place[name])) place[name] = {}
      place = place[name] as Record<string, unknown>
    }
    place[path.at(-1)!] = items
    return whole
  }

  get #listShape() {
    const { shape } = this.#judging as Extract<Judging, { kind: 'list' }>
    return shape
  }

  #idOf(id: string): string | number {
    return this.#listShape.hasNumericIds ? Number(id) : id
  }

  #withMistake(items: Record<string, unknown>[]): Record<string, unknown>[] {
    const { id } = this.#listShape
    const last = items.at(-1)!
    const others = items.slice(0, -1)
    if (this.#mistake === 'wrong_count') return others
    if (this.#mistake === 'unknown_ids') return [...others, { ...last, [id]: this.#unknownId() }]
    if (this.#mistake !== 'duplicate_ids') return items
    return items.length === 1 ? [last, last] : [...others, { ...last, [id]: items[0]![id] }]
  }

  #unknownId(): string | number {
    const ids = [...this.#judging.judged.keys()]
    if (!ids.every((id) => /^-?\d{1,15}$/.test(id))) return `${ids.at(-1)}-unknown`
    return this.#idOf(String(Math.max(...ids.map(Number)) + 1))
  }

  #object(
    shape: ScoreShape,
    { id, text }: { id: string; text: string },
    own: Readonly<Record<string, unknown>>,
  ): Record<string, unknown> {
    const { score: main, numbers, texts, fields } = shape
    const judged: JudgedText = { id, text, answer: answerIn(text), model: this.#judging.model }
    const value = this.#draw(shape.schema, judged.answer) as Record<string, unknown>
    const score = this.#scoreOf(judged, fields[main]!)
    for (const name of numbers) {
      if (value[name] !== undefined)
        value[name] = this.#drawn(`${name}\n${judged.answer}`, fields[name]!).value
    }
    for (const name of texts) {
      const { minLength = 0, maxLength = Infinity } = fields[name] as Lengths
      const explanation = explain(score).slice(0, maxLength)
      if (explanation.length >= minLength) value[name] = explanation
    }
    Object.assign(value, { [main]: score.value }, own)
    if (this.#mistake === 'missing_field') delete value[texts[0] ?? main]
    return value
  }

  #draw(schema: JsonSchema, text: string): unknown {
    const [seed] = this.#world.random.hash('judge fields', text)
    return this.#world.structures.make(schema, { seed, at: this.#judging.at, isObject: true })
  }

  #scoreOf(judged: JudgedText, field: Schema): Score {
    if (this.#mistake === 'out_of_range') {
      const { from, to } = this.#rangeOf(field)
      const value = to + Math.max(1, (to - from) / 2)
      return { value: typeOf(field) === 'integer' ? Math.ceil(value) : value, share: 1 }
    }
    for (const { match, score } of this.#world.rules?.rules ?? []) {
      if (!matchesJudged(judged, match, this.#world.finder)) continue
      const given = typeof score === 'function' ? score(judged) : score
      return fitted(given, { ...this.#rangeOf(field), field })
    }
    return this.#drawn(judged.answer, field)
  }

  #drawn(text: string, field: Schema): Score {
    const unit = this.#world.random.unit('judge', text)
    const range = this.#rangeOf(field)
    const { from, to } = range
    const wanted =
      typeOf(field) === 'integer'
        ? Math.floor(from + unit * (to - from + 1))
        : Math.round((from + unit * (to - from)) * 100) / 100
    return fitted(wanted, { ...range, field })
  }

  /** The range of a score: that of the schema, that of the prompt, or a usual one. */
  #rangeOf(field: Schema): Range {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, enum: allowed } = field
    const isWhole = typeOf(field) === 'integer'
    const gap = isWhole ? 1 : 0.01
    const least = numberOr(minimum, above(exclusiveMinimum, gap))
    const most = numberOr(maximum, above(exclusiveMaximum, -gap))
    const values = Array.isArray(allowed) ? allowed.filter((each) => typeof each === 'number') : []
    if (values.length > 0) return { from: Math.min(...values), to: Math.max(...values) }
    const usual = this.#judging.scale ?? (isWhole ? [1, 10] : [0, 1])
    const from = least ?? Math.min(usual[0], most ?? Infinity)
    const to = most ?? Math.max(usual[1], least === undefined ? -Infinity : least + 1)
    return { from, to, least, most }
  }
}

interface Lengths {
  minLength?: number
  maxLength?: number
}

interface Range {
  from: number
  to: number
  /** The bounds of the schema, if it has them. */
  least?: number | undefined
  most?: number | undefined
}

interface Score {
  value: number
  /** 0 for the worst score, 1 for the best. */
  share: number
}

/** Changes a score as little as possible so that the schema allows it. */
function fitted(
  wanted: number,
  { from, to, least, most, field }: Range & { field: Schema },
): Score {
  const { enum: allowed, multipleOf } = field
  let value = Number.isFinite(wanted) ? wanted : from
  value = Math.min(Math.max(value, least ?? -Infinity), most ?? Infinity)
  if (typeof multipleOf === 'number' && multipleOf > 0) {
    const times = Math.round(value / multipleOf)
    const inside = [times, times - 1, times + 1].find((each) => {
      return each * multipleOf >= (least ?? -Infinity) && each * multipleOf <= (most ?? Infinity)
    })
    value = (inside ?? times) * multipleOf
  } else if (typeOf(field) === 'integer') value = Math.round(value)
  if (Array.isArray(allowed)) value = nearest(value, allowed)
  const share = to > from ? Math.min(1, Math.max(0, (value - from) / (to - from))) : 1
  return { value, share }
}

function nearest(wanted: number, allowed: readonly unknown[]): number {
  const numbers = allowed.filter((each) => typeof each === 'number')
  return numbers.toSorted((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))[0] ?? wanted
}

function numberOr(value: unknown, other: number | undefined): number | undefined {
  return typeof value === 'number' ? value : other
}

function above(value: unknown, gap: number): number | undefined {
  return typeof value === 'number' ? value + gap : undefined
}

const EXPLANATIONS = [
  'It misses the goal.',
  'It reaches a small part of the goal.',
  'It reaches about half of the goal.',
  'It reaches most of the goal.',
  'It reaches the goal.',
]

function explain({ share }: Score): string {
  return EXPLANATIONS[Math.min(EXPLANATIONS.length - 1, Math.floor(share * EXPLANATIONS.length))]!
}

/** Returns the text of a message, or its tool calls without their ids. */
function saidIn(message: ChatMessage): string {
  const text = textOf(message)
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
  if (!text.startsWith('[')) return text
  try {
    const messages = JSON.parse(text) as readonly unknown[]
    const last = messages.findLast((each) => isRecord(each) && each.role === 'assistant')
    return last === undefined ? text : saidIn(last as ChatMessage)
  } catch {
    return text
  }
}
