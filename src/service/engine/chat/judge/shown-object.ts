import type { JsonSchema } from '../answer-format.js'
import { INSTRUCTED } from './prompt.js'
import { EXPLANATION, SCORE, type Schema } from './shape.js'

/** The fields of an object that a prompt shows: their names, and what stands for their values. */
export type ShownFields = readonly (readonly [name: string, value: string])[]

const OBJECT = new RegExp(`(?:${INSTRUCTED}|\\bjson\\b)[^{}]{0,200}\\{([^{}]{1,2000})\\}`, 'gi')
const FIELD = /["']([\w ]{1,64})["']\s*:\s*(?!\[)([^,\n]{0,200})/g

/** Finds the first object that a prompt shows and that has a field named like a score. */
export function findShownFields(text: string): ShownFields | undefined {
  for (const [, object = ''] of text.matchAll(OBJECT)) {
    const fields = Array.from(object.matchAll(FIELD), ([, name, value]) => [name!, value!] as const)
    if (fields.some(([name]) => SCORE.test(name))) return fields
  }
  return undefined
}

/** The schema of an object that a prompt shows. `score` is the schema of a score of which it shows no choices. */
export function schemaOfShown(shown: ShownFields, score: Schema): JsonSchema {
  const fields = shown.map(([name, value]) => [name, fieldShown(name, value, score)] as const)
  return objectOf(
    Object.fromEntries(fields.flatMap(([name, field]) => (field ? [[name, field]] : []))),
  )
}

const IS_BOOLEAN = /\btrue\b.*\bfalse\b|\bfalse\b.*\btrue\b|\bbool/i
const IS_NUMERIC = /\d|\b(?:number|int|integer|float)\b/i

/** What a field holds, as a prompt shows it. Undefined if nothing says it: a judge leaves it out. */
function fieldShown(name: string, value: string, score: Schema): Schema | undefined {
  if (IS_BOOLEAN.test(value)) return { type: 'boolean' }
  if (SCORE.test(name)) {
    const choices = quotedWordsIn(value)
    return choices.length > 1 ? { enum: choices } : score
  }
  if (EXPLANATION.test(name)) return { type: 'string' }
  return IS_NUMERIC.test(value) ? { type: 'number' } : undefined
}

const QUOTED = /["']([A-Za-z][\w -]{0,30}(?:\s*[|/]\s*[A-Za-z][\w -]{0,30}){0,5})["']/g

/** The words in quotes: `"good" or "bad"`, or `"good | bad"`. */
function quotedWordsIn(value: string): string[] {
  return Array.from(value.matchAll(QUOTED), ([, words]) => words!.split(/\s*[|/]\s*/)).flat()
}

/** The schema of an object that has all of these fields. */
export function objectOf(properties: Record<string, Schema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) }
}
