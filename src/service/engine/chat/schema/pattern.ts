import { RE2JS } from 're2js'
import type { Work } from './work.js'

const LONGEST = 1000
/** The most instructions of a compiled expression. `(a{30}){30}` has about a thousand. */
const LARGEST = 10_000
const LONGEST_TEXT = 1000
/** How many characters, times instructions, count as a step. One takes 30 ns at most, because all may match at once. */
const STEP = 250

/** What RE2 calls the instructions of a compiled expression. */
const [ALTERNATIVE, ALTERNATIVE_MATCH, FAIL, MATCH, RUNE, RUNE1, ANY, ANY_IN_LINE] = [
  1, 2, 5, 6, 8, 9, 10, 11,
]

interface Program {
  inst: readonly { op: number; out: number; arg: number; runes: ArrayLike<number> }[]
  start: number
}

/** A regular expression of a schema. Matching takes linear time. It can also draw texts that it matches. */
export class Pattern {
  /** The most instructions that the compiled expression can have. */
  readonly size: number
  readonly #expression: RE2JS
  #distances: readonly number[] | undefined

  private constructor(source: string, expression: RE2JS) {
    this.size = mostInstructions(source)
    this.#expression = expression
  }

  /**
   * Whether it takes little time to read an expression. For `a{1000}`, written 100 times, it takes about a
   * second.
   */
  static isModerate(source: string): boolean {
    return source.length <= LONGEST && mostInstructions(source) <= LARGEST
  }

  /** Reads an expression. Undefined if RE2 does not support the syntax, or if the expression is too large. */
  static read(source: string): Pattern | undefined {
    if (!Pattern.isModerate(source)) return undefined
    try {
      const expression = RE2JS.compile(RE2JS.translateRegExp(source))
      // The estimate is of what was written, and not of how RE2 reads it.
      return expression.programSize() <= LARGEST ? new Pattern(source, expression) : undefined
    } catch {
      return undefined
    }
  }

  /** Whether the expression matches somewhere in the text. */
  fits(text: string, work: Work): boolean {
    work.step(1 + Math.ceil((text.length * this.size) / STEP))
    return this.#expression.matcher(text).find()
  }

  /**
   * Draws a text that probably matches. It walks through the compiled expression, repeats parts while the text is
   * shorter than `least`, and then takes the shortest way to the end. It ignores anchors in the middle.
   */
  draw(random: () => number, { least, work }: { least: number; work: Work }): string {
    const { inst, start } = this.#program
    const distances = (this.#distances ??= distancesIn(this.#program))
    let text = ''
    let at = start
    for (;;) {
      work.step()
      const { op, out, arg, runes } = inst[at]!
      if (op === MATCH || op === FAIL) return text
      if (op === ALTERNATIVE || op === ALTERNATIVE_MATCH) {
        const [near, far] = distances[out]! <= distances[arg]! ? [out, arg] : [arg, out]
        const isFree = Number.isFinite(distances[far]!) && text.length < LONGEST_TEXT
        const goesFar = text.length < least ? random() < 0.9 : text.length < 12 && random() < 0.5
        at = isFree && goesFar ? far : near
        continue
      }
      if (op >= RUNE && op <= ANY_IN_LINE) text += drawCharacter(op, runes, random)
      at = out
    }
  }

  get #program(): Program {
    return this.#expression.re2().prog as Program
  }
}

/** A token of an expression: a text between `\\Q` and `\\E`, an escape, a class, a repetition, or a character. */
const TOKEN =
  /\\Q[^]*?(?:\\E|$)|\\[xpPu]\{[^}]*\}|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\\\]])*\]|\{(?<least>\d+)(?:,(?<most>\d*))?\}|\(\?(?:P?<\w+>|[\w-]*:)|\(\?[\w-]*\)|[^]/gu

/** Flags and an empty text are no part: a repetition after them repeats the part before. */
const NO_PART = /^(?:\(\?[\w-]*\)|\\Q(?:\\E)?)$/

/**
 * Returns a number of instructions that a compiled expression does not exceed. Takes linear time, and reads
 * nothing but the groups and repetitions.
 */
export function mostInstructions(source: string): number {
  const around: { all: number; last: number }[] = []
  // What is done of the current group, and the part that a repetition repeats.
  let [all, last] = [3, 0]
  for (const [token, least, most] of source.matchAll(TOKEN)) {
    if (least !== undefined) last = repeated(Math.max(last, 1), Number(least), most)
    else if (token === '*' || token === '+' || token === '?') last += 2
    else if (token === ')') {
      const inside = all + last
      ;({ all, last } = around.pop() ?? { all: inside, last: 0 })
      all += last
      last = inside
    } else if (!NO_PART.test(token)) {
      all += last
      last = 0
      if (token.startsWith('(')) {
        around.push({ all, last })
        ;[all, last] = [3, 0]
      } else if (token === '|') all += 3
      else {
        // Of a literal text, a repetition repeats the last character.
        all += token.startsWith('\\Q') ? token.length : 0
        last = 1
      }
    }
  }
  return around.reduce((sum, group) => sum + group.all + group.last, all + last)
}

/** Of `a{2}`, `a{2,}` and `a{2,5}`. What is optional needs one instruction more. */
function repeated(size: number, least: number, written: string | undefined): number {
  const most = written === '' ? least + 1 : Number(written ?? least)
  return least * size + Math.max(0, most - least) * (size + 1) + 1
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
