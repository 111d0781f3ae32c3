import type { ChatMessage } from '../../../scenario/chat-facts.js'
import type { JsonSchema } from '../answer-format.js'
import { findScale, INSTRUCTED, instructionsIn } from './prompt.js'
import type { Schema } from './shape.js'
import { findShownFields, objectOf, schemaOfShown, type ShownFields } from './shown-object.js'

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

/** What a prompt says about the answer that it wants. */
interface JudgePrompt {
  /** Its instructions. */
  readonly text: string
  /** The words that it allows as an answer. */
  readonly words: readonly string[] | undefined
  readonly fields: ShownFields | undefined
  /** The schema of the score: one of the words, or a number. */
  readonly score: Schema
  /** A number on its scale, and nothing else. */
  readonly number: ScoreForm
}

/** Reads one form. Undefined: the prompt does not ask for it. */
type FormReader = (prompt: JudgePrompt) => ScoreForm | undefined

/** All forms. A prompt may show signs of several: the first of these is meant. */
const FORMS: readonly FormReader[] = [inTag, inBrackets, asObject, afterLabel, asWord, asNumber]

const JUDGING =
  /\b(?:rat(?:e|es|ing)|scor(?:e|es|ing)|grad(?:e|es|ing)|judge|evaluat\w*|assess\w*|verdict|rubric|criteri(?:a|on)|on a scale|better|prefer\w*|how (?:good|helpful|correct|accurate|relevant|likely)|stars?)\b/i

/**
 * Finds the form in which messages ask for one score. Undefined if they do not ask for one.
 *
 * @param isNamed Whether the scenario says that their model is a judge. Otherwise, they must show it.
 */
export function findForm(messages: readonly ChatMessage[], isNamed = false): ScoreForm | undefined {
  const text = instructionsIn(messages).join('\n')
  const words = wordsIn(text)
  const fields = findShownFields(text)
  // Most chats end here.
  if (!isNamed && !words && !fields && !JUDGING.test(text)) return undefined
  const number = numberForm(messages)
  const score = words ? { enum: words } : numberOn(number.scale)
  for (const read of FORMS) {
    const form = read({ text, words, fields, score, number })
    if (form) return form
  }
  return undefined
}

const TAG = /<(score|rating|grade|reward|verdict)>/i

/** `<score>5</score>` */
function inTag({ text, score, number }: JudgePrompt): ScoreForm | undefined {
  const [, tag] = TAG.exec(text) ?? []
  if (tag === undefined) return undefined
  return textForm(number, score, (value) => `<${tag}>${value}</${tag}>`)
}

const BRACKETS = /\[\[([^\][\n]{1,20})\]\]/g

/** `Rating: [[5]]`, or `[[A]]` if it shows letters only. */
function inBrackets({ text, number }: JudgePrompt): ScoreForm | undefined {
  const shown = Array.from(text.matchAll(BRACKETS), ([, content]) => content!)
  if (shown.length === 0) return undefined
  const isLetters = shown.every((each) => /^[A-Z]$/.test(each))
  const score = isLetters ? { enum: [...new Set(shown)] } : numberOn(number.scale ?? [1, 10])
  return textForm(number, score, (value) => `${isLetters ? '' : 'Rating: '}[[${value}]]`)
}

/** `{"score": 5}` */
function asObject({ fields, score, number }: JudgePrompt): ScoreForm | undefined {
  return fields && { ...number, schema: schemaOfShown(fields, score), write: undefined }
}

const LABEL = new RegExp(
  `${INSTRUCTED}[^:]{0,200}?(\\[RESULT\\]|\\b(?:(?:final|overall|total) )?(?:score|rating|grade|reward):)\\s*[<[({"'\`\\dXN]`,
  'i',
)

/** `Score: 5` */
function afterLabel({ text, score, number }: JudgePrompt): ScoreForm | undefined {
  const [, label] = LABEL.exec(text) ?? []
  return label === undefined ? undefined : textForm(number, score, (value) => `${label} ${value}`)
}

/** `yes` */
function asWord({ words, score, number }: JudgePrompt): ScoreForm | undefined {
  return words && { ...number, schema: objectOf({ score }) }
}

const NUMBER =
  /\b(?:only|just|single|with|as)\b[^.\n]{0,40}\b(?:number|integer|digit|float|score|rating|grade)\b/i
const LAST_WORD = /\b(?:score|rating|grade)\s*:\s*$/i

/** `5` */
function asNumber({ text, number }: JudgePrompt): ScoreForm | undefined {
  const asks = number.scale !== undefined || NUMBER.test(text) || LAST_WORD.test(text)
  return asks ? number : undefined
}

const WHOLE = /\b(?:integers?|digits?|whole numbers?)\b/i
const OUT_OF = /\bout of (\d{1,6})\b/i

/** Plain numbers, on the scale that messages name. */
export function numberForm(messages: readonly ChatMessage[]): ScoreForm {
  const text = instructionsIn(messages).join('\n')
  const most = OUT_OF.exec(text)?.[1]
  const scale = findScale(messages) ?? (most === undefined ? undefined : [0, Number(most)])
  const schema = objectOf({ score: numberOn(scale) })
  return { schema, write: (score) => score, scale, isWhole: WHOLE.test(text) }
}

function textForm(form: ScoreForm, score: Schema, write: ScoreForm['write']): ScoreForm {
  return { ...form, schema: objectOf({ score }), write }
}

function numberOn(scale: ScoreForm['scale']): Schema {
  const isWhole = scale !== undefined && scale[1] - scale[0] >= 2
  return { type: isWhole ? 'integer' : 'number' }
}

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

/** The words that a prompt allows as an answer: `"yes" or "no"`. */
function wordsIn(text: string): string[] | undefined {
  const [, shown] = WORDS.exec(text) ?? []
  if (shown !== undefined) return choicesIn(shown)
  const [, one, other] = ONE_OR_NONE.exec(text) ?? []
  return one === undefined || one === other ? undefined : ['0', '1']
}

/** The choices in a text such as `"yes" or "no"`, the worst first if they are grades. */
function choicesIn(shown: string): string[] {
  const words = shown.match(/[A-Za-z]+/g)!.filter((word) => word !== 'or')
  const choices = [...new Set(words)]
  // Two letters name two texts, and neither is better.
  const areGrades = choices.length > 2 && choices.every((word) => /^[A-F]$/.test(word))
  return areGrades ? choices.toSorted().reverse() : choices
}
