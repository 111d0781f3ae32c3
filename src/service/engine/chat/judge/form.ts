import type { ChatMessage } from '../../../scenario/chat-facts.js'
import type { JsonSchema } from '../answer-format.js'
import { findScale, instructionsIn } from './prompt.js'
import { EXPLANATION, SCORE, type Schema } from './shape.js'

/** The form in which a prompt asks for one score, although the request has no schema. */
export interface ScoreForm {
  readonly schema: JsonSchema
  /** Writes the score, which has the name `score` in the schema. Undefined: the answer is JSON. */
  readonly write?: ((score: string) => string) | undefined
  /** The lowest and the highest score. */
  readonly scale: readonly [number, number] | undefined
  /** Whether it asks for a whole number. On a long scale, drawn scores are whole anyway. */
  readonly isWhole: boolean
}

const JUDGING =
  /\b(?:rat(?:e|es|ing)|scor(?:e|es|ing)|grad(?:e|es|ing)|judge|evaluat\w*|assess\w*|verdict|rubric|criteri(?:a|on)|on a scale|better|prefer\w*|how (?:good|helpful|correct|accurate|relevant|likely))\b/i
const INSTRUCTED =
  '\\b(?:respond|reply|return|output|answer|format|end|finish|conclude|write|print|provide|give|state|produce)\\b'
const TAG = /<(score|rating|grade|reward|verdict)>/i
const BRACKETS = /\[\[([^\][\n]{1,20})\]\]/g
const JSON_FIELDS = new RegExp(
  `(?:${INSTRUCTED}|\\bjson\\b)[^{}]{0,200}\\{([^{}]{1,2000})\\}`,
  'gi',
)
const FIELD = /["']([\w ]{1,64})["']\s*:\s*(?!\[)/g
const LABEL = new RegExp(
  `${INSTRUCTED}[^:]{0,200}?(\\[RESULT\\]|\\b(?:(?:final|overall|total) )?(?:score|rating|grade|reward):)\\s*[<[({"'\`\\dXN]`,
  'i',
)
const WORD = `["'\`\u201c]?(?:yes|no|true|false|correct|incorrect|pass|fail|passed|failed|[A-D])["'\`\u201d]?`
const WORDS = new RegExp(
  `(?:${INSTRUCTED}|\\b(?:only|better|best|preferred)\\b)[^.\\n]{0,80}?(?<!\\w)(${WORD}(?:,? ?(?:or|/|\\||,) ?${WORD}){1,3})(?!\\w)`,
  'i',
)
const NUMBER =
  /\b(?:only|just|single|with|as)\b[^.\n]{0,40}\b(?:number|integer|digit|float|score|rating|grade)\b/i
const LAST_WORD = /\b(?:score|rating|grade)\s*:\s*$/i
const WHOLE = /\b(?:integers?|digits?|whole numbers?)\b/i
const OUT_OF = /\bout of (\d{1,6})\b/i

/** Finds the form in which messages ask for one score. Undefined if they do not ask for one. */
export function findForm(messages: readonly ChatMessage[]): ScoreForm | undefined {
  const text = instructionsIn(messages).join('\n')
  if (!JUDGING.test(text)) return undefined
  const form = numberForm(messages)
  const words = choicesIn(WORDS.exec(text)?.[1])
  const score = words ? { enum: words } : fieldFor(form.scale)
  const [, tag] = TAG.exec(text) ?? []
  if (tag !== undefined) return textForm(form, score, (value) => `<${tag}>${value}</${tag}>`)
  const brackets = Array.from(text.matchAll(BRACKETS), ([, content]) => content!)
  if (brackets.length > 0) {
    const isLetters = brackets.every((each) => /^[A-Z]$/.test(each))
    const field = isLetters ? { enum: [...new Set(brackets)] } : fieldFor(form.scale ?? [1, 10])
    return textForm(form, field, (value) => `${isLetters ? '' : 'Rating: '}[[${value}]]`)
  }
  const fields = jsonFieldsIn(text, score)
  if (fields) return { ...form, schema: objectOf(fields), write: undefined }
  const [, label] = LABEL.exec(text) ?? []
  if (label !== undefined) return textForm(form, score, (value) => `${label} ${value}`)
  if (words) return { ...form, schema: objectOf({ score }) }
  const asks = form.scale !== undefined || NUMBER.test(text) || LAST_WORD.test(text)
  return asks ? form : undefined
}

/** Plain numbers, on the scale that messages name. */
export function numberForm(messages: readonly ChatMessage[]): ScoreForm {
  const text = instructionsIn(messages).join('\n')
  const most = OUT_OF.exec(text)?.[1]
  const scale = findScale(messages) ?? (most === undefined ? undefined : [0, Number(most)])
  const schema = objectOf({ score: fieldFor(scale) })
  return { schema, write: (score) => score, scale, isWhole: WHOLE.test(text) }
}

function textForm(form: ScoreForm, score: Schema, write: ScoreForm['write']): ScoreForm {
  return { ...form, schema: objectOf({ score }), write }
}

function fieldFor(scale: ScoreForm['scale']): Schema {
  const isWhole = scale !== undefined && scale[1] - scale[0] >= 2
  return { type: isWhole ? 'integer' : 'number' }
}

/** The fields of the first object that a prompt shows, if one of them is named like a score. */
function jsonFieldsIn(text: string, score: Schema): Record<string, Schema> | undefined {
  for (const [, object = ''] of text.matchAll(JSON_FIELDS)) {
    const names = Array.from(object.matchAll(FIELD), ([, name]) => name!)
    if (!names.some((name) => SCORE.test(name))) continue
    const known = names.filter((name) => SCORE.test(name) || EXPLANATION.test(name))
    return Object.fromEntries(
      known.map((name) => [name, SCORE.test(name) ? score : { type: 'string' }]),
    )
  }
  return undefined
}

function objectOf(properties: Record<string, Schema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) }
}

/** The words of a text such as `"yes" or "no"`. */
function choicesIn(text: string | undefined): string[] | undefined {
  const words = text?.match(/[A-Za-z]+/g)?.filter((word) => word !== 'or')
  return words && [...new Set(words)]
}
