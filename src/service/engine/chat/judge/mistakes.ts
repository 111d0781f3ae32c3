import type { JudgeMistake } from '../../../scenario/scenario.js'
import type { FilledReply } from '../answer.js'
import type { Judging } from './judging.js'
import type { Range } from './score.js'
import { typeOf, type ListShape, type Schema, type ScoreShape } from './shape.js'

type ScoredItem = Record<string, unknown>

/** What goes wrong in an answer of a judge: each function replaces a part of it. */
export interface Mistake {
  readonly reply?: FilledReply
  readonly score?: (range: Range, field: Schema) => number
  readonly object?: (scored: ScoredItem, shape: ScoreShape) => ScoredItem
  readonly list?: (items: readonly ScoredItem[], shape: ListShape) => ScoredItem[]
  readonly text?: (json: string) => string
}

/** What a judge says that gives no score. */
export const NO_SCORE = 'The first one is better, because it is clearer.'

/** Returns what goes wrong. Without a mistake, nothing does. */
export function mistakeNamed(name: JudgeMistake | undefined, kind: 'list' | 'single'): Mistake {
  if (name === undefined) return {}
  return madeMistake(name, kind) === 'missing_field' && kind === 'single'
    ? MISSING_SCORE
    : mistakes[name]
}

/** What a mistake is in an answer. One score has no list: it is missing instead. */
export function madeMistake(name: JudgeMistake, kind: 'list' | 'single'): JudgeMistake {
  return kind === 'single' && mistakes[name].list ? 'missing_field' : name
}

/** Whether a mistake leaves no score to read. In a list, the other texts have theirs. */
export function hidesScore(made: JudgeMistake, { kind, shape, judged }: Judging): boolean {
  if (made === 'refusal' || made === 'not_json') return true
  // Without a field that explains the score, the score itself is missing.
  if (made === 'missing_field') return kind === 'single' || shape.texts.length === 0
  return judged.size === 1 && (made === 'wrong_count' || made === 'unknown_ids')
}

const MISSING_SCORE: Mistake = {
  object(scored, { score }) {
    const { [score]: _missing, ...others } = scored
    return others
  },
}

const mistakes: Readonly<Record<JudgeMistake, Mistake>> = {
  refusal: { reply: { refusal: 'I cannot judge these texts.' } },
  not_json: { text: () => NO_SCORE },
  fenced: { text: (json) => `\`\`\`json\n${json}\n\`\`\`` },
  wrong_count: { list: (items) => items.slice(0, -1) },
  unknown_ids: { list: (items, shape) => withLastId(items, shape, unknownId(items, shape)) },
  duplicate_ids: {
    list(items, shape) {
      const [first = {}] = items
      return items.length === 1 ? [first, first] : withLastId(items, shape, first[shape.id])
    },
  },
  missing_field: {
    object(scored, { texts, score }) {
      const { [texts[0] ?? score]: _missing, ...others } = scored
      return others
    },
  },
  out_of_range: {
    score({ from, to }, field) {
      const above = to + Math.max(1, (to - from) / 2)
      return typeOf(field) === 'integer' ? Math.ceil(above) : above
    },
  },
}

function withLastId(items: readonly ScoredItem[], shape: ListShape, id: unknown): ScoredItem[] {
  return [...items.slice(0, -1), { ...items.at(-1), [shape.id]: id }]
}

/** An id like the others, which no text has. */
function unknownId(items: readonly ScoredItem[], shape: ListShape): string | number {
  const ids = items.map((item) => String(item[shape.id]))
  if (!ids.every((id) => /^-?\d{1,15}$/.test(id))) return `${ids.at(-1)}-unknown`
  const next = Math.max(...ids.map(Number)) + 1
  return shape.hasNumericIds ? next : String(next)
}
