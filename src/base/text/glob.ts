import { compiledOnce } from './compiled-once.js'

/** Whether a text matches a glob such as `poet*`, or one of several globs. A star and a set also match slashes. */
export function matchesGlob(text: string, glob: string | readonly string[]): boolean {
  if (typeof glob !== 'string') return glob.some((each) => matchesGlob(text, each))
  if (glob === text) return true
  const { negated, forms } = compile(glob)
  return forms.some((form) => matchesForm(text, form)) !== negated
}

/**
 * A parsed glob. We do not use a library: libraries turn globs into regular expressions, and for a glob such
 * as `*a*a*a*a*b` these take practically forever on a long text. Clients choose the texts.
 */
interface Glob {
  /** Whether it begins with `!`. */
  negated: boolean
  /** One form for each combination of choices in braces. */
  forms: readonly Form[]
}

type Form = readonly (typeof STAR | ((character: string) => boolean))[]

const STAR = Symbol('*')

/** A glob that is longer, or has more forms, matches only its own text. */
const LONGEST = 1000
const MOST_FORMS = 1000

const compile = compiledOnce((glob): Glob => {
  const negated = glob.startsWith('!')
  const texts = glob.length > LONGEST ? [] : (choicesOf(negated ? glob.slice(1) : glob) ?? [])
  return { negated: negated && texts.length > 0, forms: texts.map(readForm) }
})

const PAIRED = /[\ud800-\udfff]/

/** Goes back only to the last star, so the time is proportional to the lengths of text and glob, multiplied. */
function matchesForm(text: string, form: Form): boolean {
  // A text without surrogate pairs can be indexed without a copy.
  const characters = PAIRED.test(text) ? Array.from(text) : text
  let place = 0
  let star: { place: number; at: number } | undefined
  let at = 0
  while (at < characters.length) {
    const part = form[place]
    if (part === STAR) {
      star = { place: ++place, at }
    } else if (part?.(characters[at]!)) {
      place++
      at++
    } else {
      if (!star) return false
      place = star.place
      at = ++star.at
    }
  }
  return form.slice(place).every((part) => part === STAR)
}

/** `a{b,c}` → `ab`, `ac`. Undefined if there are too many. Braces without a comma are literal. */
export function choicesOf(glob: string): string[] | undefined {
  const braces = firstBraces(glob)
  if (!braces) return [glob]
  const { start, end, choices } = braces
  const rests = choicesOf(glob.slice(end + 1))
  const lists = choices.map((choice) => choicesOf(choice))
  if (!rests || lists.includes(undefined)) return undefined
  const firsts = lists.flatMap((list) => list!)
  if (firsts.length * rests.length > MOST_FORMS) return undefined
  const before = glob.slice(0, start)
  return firsts.flatMap((first) => rests.map((rest) => before + first + rest))
}

function firstBraces(glob: string): { start: number; end: number; choices: string[] } | undefined {
  let depth = 0
  let start = 0
  let commas: number[] = []
  for (let at = 0; at < glob.length; at++) {
    const character = glob[at]
    if (character === '\\') at++
    else if (character === '{') {
      if (depth++ === 0) [start, commas] = [at, []]
    } else if (character === ',' && depth === 1) commas.push(at)
    else if (character === '}' && depth > 0 && --depth === 0 && commas.length > 0) {
      const cuts = [start, ...commas, at]
      const choices = cuts.slice(1).map((cut, index) => glob.slice(cuts[index]! + 1, cut))
      return { start, end: at, choices }
    }
  }
  return undefined
}

function readForm(text: string): Form {
  const form: Form[number][] = []
  const characters = Array.from(text)
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!
    const end = character === '[' ? endOfSet(characters, at) : undefined
    if (character === '*') {
      if (form.at(-1) !== STAR) form.push(STAR)
    } else if (character === '?') form.push((each) => each !== '/')
    else if (end !== undefined) {
      form.push(isInSet(characters.slice(at + 1, end)))
      at = end
    } else {
      const literal = character === '\\' ? (characters[++at] ?? '\\') : character
      form.push((each) => each === literal)
    }
  }
  return form
}

/** The index of the bracket that ends `[a-z]`. A bracket that comes first is a member of the set. */
function endOfSet(characters: readonly string[], start: number): number | undefined {
  const first = isNegation(characters[start + 1]) ? start + 2 : start + 1
  const end = characters.indexOf(']', first + 1)
  return end === -1 ? undefined : end
}

function isNegation(character: string | undefined): boolean {
  return character === '!' || character === '^'
}

function isInSet(set: readonly string[]): (character: string) => boolean {
  const negated = isNegation(set[0])
  const members = negated ? set.slice(1) : set
  return (character) => {
    for (let at = 0; at < members.length; at++) {
      const from = members[at]!
      const to = members[at + 1] === '-' ? members[at + 2] : undefined
      if (to === undefined ? character === from : from <= character && character <= to) {
        return !negated
      }
      if (to !== undefined) at += 2
    }
    return negated
  }
}
