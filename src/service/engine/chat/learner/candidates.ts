import { evaluateArithmetic } from '../../../../base/text/formula.js'
import { promptEnd } from '../prompt-end.js'

/** An answer that a learner can try. */
export interface Candidate {
  text: string
  /** What kinds of answers it is. What a learner learns about a kind helps with other prompts. */
  kinds: string[]
  /** How often it is tried, compared with the others. */
  weight: number
}

/** The texts of a prompt. */
export interface Prompt {
  user: string
  system: string
}

const LONGEST_ECHO = 400
/** The weight of what a prompt suggests most strongly, without a form that it demands. */
export const HEAVIEST = 3
/** The most candidates of one kind. */
const MOST = 12

/**
 * Returns the answers that a prompt suggests: the alternatives and the quoted words that it names, answers like its
 * examples, its numbers, the results of its arithmetic, its words, and parts of it.
 */
export function candidatesFor({ user, system }: Prompt): Candidate[] {
  const question = promptEnd(user).trim()
  const found = new Candidates()
  const whole = `${promptEnd(system)}\n${question}`
  const alternatives = alternativesIn(whole)
  for (const [index, { text, weight }] of examplesIn(whole, alternatives).entries()) {
    found.add(text, { kinds: ['example', `example ${index + 1}`, literal(text)], weight })
  }
  for (const [index, text] of alternatives.entries()) {
    found.add(text, { kinds: [`alternative ${index + 1}`, literal(text)], weight: 2 })
  }
  const quoted = (whole.match(QUOTED) ?? []).map((each) => each.slice(1, -1))
  for (const [index, text] of distinct(quoted).entries()) {
    found.add(text, { kinds: [`quoted text ${index + 1}`, literal(text)], weight: 1 })
  }
  addNumbers(found, question)
  addWords(found, question)
  return found.all
}

class Candidates {
  readonly #byText = new Map<string, Candidate>()

  get all(): Candidate[] {
    return [...this.#byText.values()]
  }

  add(text: string, { kinds, weight }: Omit<Candidate, 'text'>): void {
    if (text === '') return
    const known = this.#byText.get(text)
    if (!known) this.#byText.set(text, { text, kinds, weight })
    else {
      known.kinds.push(...kinds.filter((kind) => !known.kinds.includes(kind)))
      known.weight = Math.max(known.weight, weight)
    }
  }
}

const QUOTED =
  /"([^"\n]{1,60})"|“([^”\n]{1,60})”|`([^`\n]{1,60})`|(?<![\p{L}\d])'([^'\n]{1,60})'(?!\p{L})/gu

const ITEM = String.raw`(?:"[^"\n]{1,60}"|“[^”\n]{1,60}”|'[^'\n]{1,60}'|${'`'}[^${'`'}\n]{1,60}${'`'}|[\p{L}\d][\p{L}\d_+-]{0,39})`
const LIST = new RegExp(
  [
    String.raw`${ITEM}(?:\s*,\s*${ITEM})*\s*,?\s+(?:or|and)\s+${ITEM}`,
    String.raw`${ITEM}(?:\s*,\s*${ITEM}){2,}`,
    String.raw`${ITEM}(?:\s?[/|]\s?${ITEM})+`,
  ].join('|'),
  'giu',
)
const EACH_ITEM = new RegExp(ITEM, 'giu')

/** Finds lists such as `yes, no or maybe`, and `true/false`. */
function alternativesIn(text: string): string[] {
  const items = [...text.matchAll(LIST)].flatMap(([list]) => list.match(EACH_ITEM) ?? [])
  const plain = items.map((item) => item.replaceAll(/^["“'`]|["”'`]$/g, ''))
  return distinct(plain.filter((item) => !/^(?:and|or)$/i.test(item)))
}

/** An element such as `<move>left</move>`, and an object with one field. The second group is its value. */
const EXAMPLES = [
  /(<([a-z][\w-]{0,39})>)([^<>\n]{1,60})(<\/\2>)/gi,
  /(\{\s?"([^"\n]{1,40})"\s?:\s?")([^"\n]{1,60})("\s?\})/g,
]

/** How often examples are tried whose value is one of the alternatives. Games take hundreds of such answers. */
const USUAL = 5000

/** Finds the examples of a prompt. If their value is one of the alternatives, each of these can take its place. */
function examplesIn(
  text: string,
  alternatives: readonly string[],
): Pick<Candidate, 'text' | 'weight'>[] {
  const examples = EXAMPLES.flatMap((pattern) => [...text.matchAll(pattern)])
  const found = examples.flatMap(([whole, before, _name, value = '', after]) => {
    if (!alternatives.includes(value.trim())) return [{ text: whole, weight: HEAVIEST }]
    return alternatives.map((other) => ({ text: `${before}${other}${after}`, weight: USUAL }))
  })
  return found.slice(0, MOST)
}

function addNumbers(found: Candidates, question: string): void {
  const numbers = distinct(question.match(/\d+(?:\.\d+)?/g) ?? [])
  for (const result of resultsIn(question)) addResult(found, result)
  if (numbers.length >= 2 && numbers.length <= 6) addCombinations(found, numbers.map(Number))
  for (const [index, text] of numbers.entries()) {
    const place = index === 0 ? 'first' : 'other'
    const kind = numbers.length > 1 && index === numbers.length - 1 ? 'last' : place
    found.add(text, { kinds: [`${kind} number`], weight: 1 })
  }
  const last = numbers.at(-1)
  if (last !== undefined) {
    found.add(`The answer is ${last}.`, { kinds: ['sentence with a number'], weight: 1 })
  }
}

function addResult(found: Candidates, result: number): void {
  found.add(formatNumber(result), { kinds: ['result'], weight: HEAVIEST })
  found.add(`The answer is ${formatNumber(result)}.`, {
    kinds: ['sentence with the result'],
    weight: 1,
  })
  for (const off of [1, -1, 10]) {
    found.add(formatNumber(result + off), { kinds: ['wrong result'], weight: 0.7 })
  }
}

function addCombinations(found: Candidates, numbers: readonly number[]): void {
  const [first = 0, ...others] = numbers
  const combined = {
    sum: numbers.reduce((sum, each) => sum + each, 0),
    product: numbers.reduce((product, each) => product * each, 1),
    difference: others.reduce((rest, each) => rest - each, first),
    quotient: others.reduce((rest, each) => rest / each, first),
  }
  for (const [kind, value] of Object.entries(combined)) {
    if (Number.isFinite(value)) found.add(formatNumber(value), { kinds: [kind], weight: 1 })
  }
}

const OPERATORS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:multiplied by|times)\b|×|(?<=\d\s{0,3})x(?=\s{0,3}\d)/gi, '*'],
  [/\bdivided by\b|÷/gi, '/'],
  [/\bplus\b/gi, '+'],
  [/\bminus\b|−/gi, '-'],
  [/\*\*/g, '^'],
]
const EXPRESSION = /\(*-?\d+(?:\.\d+)?(?:\s*\)*\s*[-+*/^]\s*\(*\s*-?\d+(?:\.\d+)?)+\)*/g
const NAMED = /\b(sum|product|difference) (?:of|between) (-?\d+(?:\.\d+)?) and (-?\d+(?:\.\d+)?)/gi

/** Returns the results of the arithmetic in a text: `2 + 2`, `3 times 4`, `the sum of 1 and 2`. */
function resultsIn(text: string): number[] {
  let plain = text
  for (const [pattern, operator] of OPERATORS) plain = plain.replaceAll(pattern, operator)
  const results = (plain.match(EXPRESSION) ?? []).slice(0, MOST).map(evaluateArithmetic)
  for (const [, name = '', one, other] of text.matchAll(NAMED)) {
    const operator = { sum: '+', product: '*', difference: '-' }[name.toLowerCase()]!
    results.push(evaluateArithmetic(`${one} ${operator} ${other}`))
  }
  return distinct(results.filter((result) => result !== undefined))
}

const QUESTION = /^(?:what|who|which|where|when|how|why)(?:\s+(?:is|are|was|were|do|does|did))?\s+/i

function addWords(found: Candidates, question: string): void {
  const words = distinct(question.match(/\p{L}[\p{L}'-]{2,}/gu) ?? [])
  const [first = '', second = ''] = words
  found.add(words.at(-1) ?? '', { kinds: ['last word'], weight: 0.4 })
  found.add(first, { kinds: ['first word'], weight: 0.3 })
  found.add(second, { kinds: ['second word'], weight: 0.3 })
  if (question.length > LONGEST_ECHO) return
  const parts = question.split(/\s+/)
  const statement = question.replace(QUESTION, '').replace(/[?.!]+$/, '')
  const half = parts.slice(0, Math.ceil(parts.length / 2)).join(' ')
  const kinds = { statement: `${statement}.`, echo: question, 'half of the prompt': half }
  for (const [kind, text] of Object.entries(kinds)) found.add(text, { kinds: [kind], weight: 0.3 })
}

function formatNumber(value: number): string {
  return String(Math.round(value * 1e6) / 1e6)
}

const LONGEST_LITERAL = 24

/** The kind of a text itself, because the same text may be right for many prompts. */
export function literal(text: string): string {
  return `text ${text.slice(0, LONGEST_LITERAL)}`
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)].slice(0, MOST)
}

const SHORT = 80

/** The kind of an answer that is not one of the candidates. */
export function kindOfText(text: string): string {
  return text.length <= SHORT ? SHORT_SENTENCE : LONG_SENTENCE
}

export const SHORT_SENTENCE = 'short text'
export const LONG_SENTENCE = 'long text'
