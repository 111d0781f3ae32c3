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
  /\b(?:rat(?:e|es|ing)|scor(?:e|es|ing)|grad(?:e|es|ing)|judge|evaluat\w*|assess\w*|verdict|rubric|criteri(?:a|on)|on a scale|better|prefer\w*|how (?:good|helpful|correct|accurate|relevant|likely)|stars?)\b/i
const INSTRUCTED =
  '\\b(?:respond|reply|return|output|answer|format|end|finish|conclude|write|print|provide|give|say|state|produce)\\b'
const TAG = /<(score|rating|grade|reward|verdict)>/i
const BRACKETS = /\[\[([^\][\n]{1,20})\]\]/g
const JSON_FIELDS = new RegExp(
  `(?:${INSTRUCTED}|\\bjson\\b)[^{}]{0,200}\\{([^{}]{1,2000})\\}`,
  'gi',
)
/** A field of an object that a prompt shows, and what stands for its value. */
const FIELD = /["']([\w ]{1,64})["']\s*:\s*(?!\[)([^,\n]{0,200})/g
const WORD_IN_QUOTES = /["']([A-Za-z][\w -]{0,30}(?:\s*[|/]\s*[A-Za-z][\w -]{0,30}){0,5})["']/g
const IS_BOOLEAN = /\btrue\b.*\bfalse\b|\bfalse\b.*\btrue\b|\bbool/i
const IS_NUMERIC = /\d|\b(?:number|int|integer|float)\b/i
const LABEL = new RegExp(
  `${INSTRUCTED}[^:]{0,200}?(\\[RESULT\\]|\\b(?:(?:final|overall|total) )?(?:score|rating|grade|reward):)\\s*[<[({"'\`\\dXN]`,
  'i',
)
const WORD = `["'\`\u201c]?(?:yes|no|true|false|correct|incorrect|pass|fail|passed|failed|[A-F])["'\`\u201d]?`
const WORDS = new RegExp(
  `(?:${INSTRUCTED}|\\b(?:only|better|best|preferred)\\b)[^.\\n]{0,80}?(?<!\\w)(${WORD}(?:,? ?(?:or|/|\\||,) ?${WORD}){1,5})(?!\\w)`,
  'i',
)
/** `1 if it fits, otherwise 0`. */
const ONE_OR_NONE = new RegExp(
  `${INSTRUCTED}[^.\\n]{0,20}(?<![\\w.])([01])\\b[^\\n]{0,200}(?:\\b(?:otherwise|else|or|and)\\b|,)[^.\\n]{0,40}(?<![\\w.])([01])(?![\\w.]*\\d)`,
  'i',
)
const NUMBER =
  /\b(?:only|just|single|with|as)\b[^.\n]{0,40}\b(?:number|integer|digit|float|score|rating|grade)\b/i
const LAST_WORD = /\b(?:score|rating|grade)\s*:\s*$/i
const WHOLE = /\b(?:integers?|digits?|whole numbers?)\b/i
const OUT_OF = /\bout of (\d{1,6})\b/i

/**
 * Finds the form in which messages ask for one score. Undefined if they do not ask for one.
 *
 * @param isNamed Whether the scenario says that their model is a judge. Otherwise, they must show it.
 */
export function findForm(messages: readonly ChatMessage[], isNamed = false): ScoreForm | undefined {
  const text = instructionsIn(messages).join('\n')
  const words = choicesIn(WORDS.exec(text)?.[1]) ?? oneOrNoneIn(text)
  const object = scoredObjectIn(text)
  // Most chats end here.
  if (!isNamed && !words && !object && !JUDGING.test(text)) return undefined
  const form = numberForm(messages)
  const score = words ? { enum: words } : fieldFor(form.scale)
  const [, tag] = TAG.exec(text) ?? []
  if (tag !== undefined) return textForm(form, score, (value) => `<${tag}>${value}</${tag}>`)
  const brackets = Array.from(text.matchAll(BRACKETS), ([, content]) => content!)
  if (brackets.length > 0) return bracketForm(form, brackets)
  if (object) return { ...form, schema: objectOf(fieldsOf(object, score)), write: undefined }
  const [, label] = LABEL.exec(text) ?? []
  if (label !== undefined) return textForm(form, score, (value) => `${label} ${value}`)
  if (words) return { ...form, schema: objectOf({ score }) }
  const asks = form.scale !== undefined || NUMBER.test(text) || LAST_WORD.test(text)
  return asks ? form : undefined
}

/** `[[5]]` or `[[A]]`, as a prompt shows it. */
function bracketForm(form: ScoreForm, brackets: readonly string[]): ScoreForm {
  const isLetters = brackets.every((each) => /^[A-Z]$/.test(each))
  const field = isLetters ? { enum: [...new Set(brackets)] } : fieldFor(form.scale ?? [1, 10])
  return textForm(form, field, (value) => `${isLetters ? '' : 'Rating: '}[[${value}]]`)
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

type WrittenFields = readonly (readonly [name: string, value: string])[]

/** The fields of the first object that a prompt shows, if one of them is named like a score. */
function scoredObjectIn(text: string): WrittenFields | undefined {
  for (const [, object = ''] of text.matchAll(JSON_FIELDS)) {
    const fields = Array.from(object.matchAll(FIELD), ([, name, value]) => [name!, value!] as const)
    if (fields.some(([name]) => SCORE.test(name))) return fields
  }
  return undefined
}

function fieldsOf(written: WrittenFields, score: Schema): Record<string, Schema> {
  const fields = written.map(([name, value]) => [name, fieldWritten(name, value, score)] as const)
  return Object.fromEntries(fields.flatMap(([name, field]) => (field ? [[name, field]] : [])))
}

/** What a field holds, as a prompt shows it. Undefined if nothing says it: a judge leaves it out. */
function fieldWritten(name: string, value: string, score: Schema): Schema | undefined {
  if (IS_BOOLEAN.test(value)) return { type: 'boolean' }
  if (SCORE.test(name)) {
    const words = Array.from(value.matchAll(WORD_IN_QUOTES), ([, word]) =>
      word!.split(/\s*[|/]\s*/),
    )
    const choices = words.flat()
    return choices.length > 1 ? { enum: choices } : score
  }
  if (EXPLANATION.test(name)) return { type: 'string' }
  return IS_NUMERIC.test(value) ? { type: 'number' } : undefined
}

function objectOf(properties: Record<string, Schema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) }
}

/** The words of a text such as `"yes" or "no"`, the worst first if they are grades. */
function choicesIn(text: string | undefined): string[] | undefined {
  const words = text?.match(/[A-Za-z]+/g)?.filter((word) => word !== 'or')
  if (!words) return undefined
  const choices = [...new Set(words)]
  // Two letters name two texts, and neither is better.
  const areGrades = choices.length > 2 && choices.every((word) => /^[A-F]$/.test(word))
  return areGrades ? choices.toSorted().reverse() : choices
}

function oneOrNoneIn(text: string): string[] | undefined {
  const [, one, other] = ONE_OR_NONE.exec(text) ?? []
  return one === undefined || one === other ? undefined : ['0', '1']
}
