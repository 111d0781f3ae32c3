import { drawFormatted } from './formats.js'
import type { Shape } from './shape.js'
import { Unmet } from './unmet.js'
import type { Work } from './work.js'

/** How many texts are tried, and how many of them in the format of the schema. */
const MOST_TEXTS = 20
const FORMATTED_TEXTS = 15
/** The most characters in all texts of an answer. */
const MOST_CHARACTERS = 100_000

/** What draws a number or a text. */
export interface DrawTools {
  /** Returns a number in [0, 1). */
  readonly random: () => number
  readonly work: Work
  /** Whether a value satisfies the schemas. */
  readonly fits: (value: number | string) => boolean
}

/**
 * Draws a text that matches all of the schemas. `used` is how many characters the answer has before.
 *
 * @throws {Unmet} When it finds none.
 */
export function drawText(
  shapes: readonly Shape[],
  { random, work, fits, used }: DrawTools & { readonly used: number },
): string {
  const least = Math.max(...shapes.map(({ minLength }) => minLength), 0)
  const most = Math.min(...shapes.map(({ maxLength }) => maxLength))
  if (used + least > MOST_CHARACTERS) {
    const long = shapes.find(({ minLength }) => minLength === least)
    throw new Unmet(long, `needs more than ${MOST_CHARACTERS.toLocaleString('en')} characters.`)
  }
  const patterns = shapes.flatMap(({ pattern }) => pattern ?? [])
  const formats = shapes.flatMap(({ format }) => format ?? [])
  for (let attempt = 0; attempt < MOST_TEXTS; attempt++) {
    const form =
      attempt < FORMATTED_TEXTS ? formats[attempt % Math.max(1, formats.length)] : undefined
    const formatted = form === undefined ? undefined : drawFormatted(form, random)
    let value: string
    if (formatted !== undefined && patterns.length === 0) value = formatted
    else if (patterns.length > 0) {
      const wanted = attempt % 2 === 0 ? least : Math.min(most, least + 5)
      value = patterns[attempt % patterns.length]!.draw(random, { least: wanted, work })
    } else value = drawLetters(Math.max(1, least), Math.max(10, least), { random, work })
    const short = least - value.length
    // More letters may follow, unless the check below refuses them.
    if (short > 0) value += drawLetters(short, short, { random, work })
    if (patterns.length === 0 && form === undefined && value.length > most)
      value = value.slice(0, most)
    if (fits(value)) return value
  }
  const strict = shapes.find(({ pattern }) => pattern) ?? shapes.find(({ format }) => format)
  throw new Unmet(strict ?? shapes[0])
}

const CONSONANTS = 'bdfgklmnprstv'
const VOWELS = 'aeiou'

/** Draws a word of at least `least` letters and at most `most`. */
export function drawLetters(
  least: number,
  most: number,
  { random, work }: Pick<DrawTools, 'random' | 'work'>,
): string {
  const length = least + Math.floor(random() * (most - least + 1))
  work.step(Math.ceil(length / 10))
  return Array.from({ length }, (_, index) => {
    const letters = index % 2 === 0 ? CONSONANTS : VOWELS
    return letters[Math.floor(random() * letters.length)]
  }).join('')
}
