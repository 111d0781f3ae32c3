import type { RE2JS } from 're2js'
import type { Work } from './work.js'

const LONGEST_TEXT = 1000

/** What RE2 calls the instructions of a compiled expression. */
const [ALTERNATIVE, ALTERNATIVE_MATCH, FAIL, MATCH, RUNE, RUNE1, ANY, ANY_IN_LINE] = [
  1, 2, 5, 6, 8, 9, 10, 11,
]

interface Program {
  inst: readonly { op: number; out: number; arg: number; runes: ArrayLike<number> }[]
  start: number
}

export interface DrawLimits {
  /** The length up to which parts are repeated. */
  least: number
  work: Work
}

/** Draws texts that match a compiled expression. */
export class PatternTexts {
  readonly #program: Program
  readonly #distances: readonly number[]

  constructor(expression: RE2JS) {
    this.#program = expression.re2().prog as Program
    this.#distances = distancesIn(this.#program)
  }

  /**
   * Draws a text that probably matches. It walks through the compiled expression, repeats parts while the text is
   * shorter than `least`, and then takes the shortest way to the end. It ignores anchors in the middle.
   */
  draw(random: () => number, { least, work }: DrawLimits): string {
    const { inst, start } = this.#program
    let text = ''
    let at = start
    for (;;) {
      work.step()
      const { op, out, arg, runes } = inst[at]!
      if (op === MATCH || op === FAIL) return text
      if (op === ALTERNATIVE || op === ALTERNATIVE_MATCH) {
        const [near, far] = this.#distances[out]! <= this.#distances[arg]! ? [out, arg] : [arg, out]
        const isFree = Number.isFinite(this.#distances[far]!) && text.length < LONGEST_TEXT
        const goesFar = text.length < least ? random() < 0.9 : text.length < 12 && random() < 0.5
        at = isFree && goesFar ? far : near
        continue
      }
      if (op >= RUNE && op <= ANY_IN_LINE) text += drawCharacter(op, runes, random)
      at = out
    }
  }
}

/** Returns, for each instruction, the number of instructions from it to the end of the match. */
function distancesIn({ inst }: Program): number[] {
  const before = inst.map((): number[] => [])
  const distances = inst.map(({ op, out, arg }, at) => {
    if (op === MATCH) return 0
    if (op === FAIL) return Infinity
    before[out]!.push(at)
    if (op === ALTERNATIVE || op === ALTERNATIVE_MATCH) before[arg]!.push(at)
    return Infinity
  })
  let found = [...distances.keys()].filter((at) => distances[at] === 0)
  for (let distance = 1; found.length > 0; distance++) {
    const next = found.flatMap((at) => before[at]!).filter((at) => distances[at] === Infinity)
    for (const at of next) distances[at] = distance
    found = [...new Set(next)]
  }
  return distances
}

const [SPACE, TILDE, A] = [0x20, 0x7e, 0x61]

function drawCharacter(op: number, runes: ArrayLike<number>, random: () => number): string {
  if (op === ANY || op === ANY_IN_LINE) return String.fromCodePoint(A + Math.floor(random() * 26))
  if (op === RUNE1 || runes.length === 1) return String.fromCodePoint(runes[0]!)
  const ranges = Array.from({ length: runes.length / 2 }, (_, at): [number, number] => {
    return [runes[2 * at]!, runes[2 * at + 1]!]
  })
  const printable = ranges
    .map(([from, to]): [number, number] => [Math.max(from, SPACE), Math.min(to, TILDE)])
    .filter(([from, to]) => from <= to)
  const [from, to] = pick(printable.length > 0 ? printable : ranges, random)
  return String.fromCodePoint(from + Math.floor(random() * (to - from + 1)))
}

function pick<T>(from: readonly T[], random: () => number): T {
  return from[Math.floor(random() * from.length)]!
}
