import { SeededRandom } from '../../../../src/base/random/random.js'
import { operators, type Change } from './operators.js'
import { programs, reaches, shared, textOf, type Program } from './programs.js'
import { placesIn } from './syntax.js'

/** A program with one mistake. */
export interface Mutant {
  readonly operator: string
  readonly program: Program
  /** The file of the program that has the mistake. */
  readonly file: string
  /** From 1. */
  readonly line: number
  /** Which of the places of the file with this text it is, from 1. */
  readonly ordinal: number
  /** The text that the mistake replaces, and what stands there instead, on one line each. */
  readonly code: string
  readonly becomes: string
  readonly change: Change
}

/** How many mutants are drawn. */
export const MOST = 50
const SEED = 38

/** Returns what names a mutant, for lists. It does not depend on lines that move. */
export function keyOf({ operator, program, file, ordinal, code, becomes }: Mutant): string {
  const place = ordinal === 1 ? '' : `place ${ordinal}`
  return [operator, program, file, code, becomes, place].filter((part) => part !== '').join(' | ')
}

/** All mistakes that the operators make. In a shared file, a mistake belongs to one program that reaches it. */
export function allMutants(): Mutant[] {
  return [...shared, ...programs].flatMap((file) => {
    const text = textOf(file)
    const places = placesIn(`${file}.mjs`, text)
    return operators.flatMap(({ name, change }) => {
      const changes = places.flatMap((place) => change(place) ?? [])
      return changes.flatMap((each) => mutantsOf({ operator: name, file, text }, each, changes))
    })
  })
}

interface Source {
  readonly operator: string
  readonly file: string
  readonly text: string
}

/** The mutant with a change, or none if no program comes there. */
function mutantsOf(
  { operator, file, text }: Source,
  change: Change,
  all: readonly Change[],
): Mutant[] {
  const { start, end } = change
  const users = programs.filter((each) => each === file || reaches(each, file, { start }))
  if (users.length === 0) return []
  const random = new SeededRandom(SEED)
  const at = Math.floor(random.unit('mutants', operator, file, String(start)) * users.length)
  const code = oneLine(text.slice(start, end))
  const ordinal = all.filter((each) => {
    return (
      each.start <= start &&
      each.text === change.text &&
      oneLine(text.slice(each.start, each.end)) === code
    )
  }).length
  const line = text.slice(0, start).split('\n').length
  return [
    {
      operator,
      program: users[at]!,
      file,
      line,
      ordinal,
      code,
      becomes: oneLine(change.text),
      change,
    },
  ]
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

/** Draws from all mutants: one of each operator, and then a second one of operators in any order. */
export function drawMutants(
  all: readonly Mutant[],
  isExcluded: (mutant: Mutant) => boolean,
): Mutant[] {
  const random = new SeededRandom(SEED)
  const order = (mutant: Mutant): number => random.unit('draw', keyOf({ ...mutant, ordinal: 1 }))
  const left = all
    .filter((mutant) => !isExcluded(mutant))
    .sort((one, other) => order(one) - order(other))
  const rounds: Mutant[][] = [[], []]
  for (const mutant of left) {
    const round = rounds.find((each) => each.every(({ operator }) => operator !== mutant.operator))
    round?.push(mutant)
  }
  return rounds.flat().slice(0, MOST)
}
