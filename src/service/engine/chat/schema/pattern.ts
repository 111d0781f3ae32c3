import { RE2JS } from 're2js'
import { mostInstructions } from './pattern-size.js'
import { PatternTexts, type DrawLimits } from './pattern-texts.js'
import type { Work } from './work.js'

const LONGEST = 1000
/** The most instructions of a compiled expression. `(a{30}){30}` has about a thousand. */
const LARGEST = 10_000
/** How many characters, times instructions, count as a step. One takes 30 ns at most, because all may match at once. */
const STEP = 250

/** A regular expression of a schema. Matching takes linear time. It can also draw texts that it matches. */
export class Pattern {
  /** The most instructions that the compiled expression can have. */
  readonly size: number
  readonly #expression: RE2JS
  #texts: PatternTexts | undefined

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

  /** Draws a text that probably matches, of at least that length if it can repeat a part. */
  draw(random: () => number, limits: DrawLimits): string {
    this.#texts ??= new PatternTexts(this.#expression)
    return this.#texts.draw(random, limits)
  }
}
