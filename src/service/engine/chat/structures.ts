import { mix32 } from '../../../base/random/random.js'
import { shortened } from '../../../base/text/shortened.js'
import type { JsonSchema } from './answer-format.js'
import { BadField, Undrawable } from './bad-field.js'
import { remember } from './remember.js'
import { Check } from './schema/check.js'
import { Draw } from './schema/draw.js'
import { findProblem } from './schema/possible.js'
import {
  MOST_INSTRUCTIONS,
  readSchema,
  TOO_MANY_INSTRUCTIONS,
  type SchemaProblem,
  type Read,
} from './schema/read.js'
import { OBJECT, Shape } from './schema/shape.js'
import { Unmet } from './schema/unmet.js'
import { MOST_STEPS, OutOfWork, Work } from './schema/work.js'

/** The first attempts draw optional parts too. The last one draws only what the schema requires. */
const ATTEMPTS = [{ least: false }, { least: false }, { least: true }]

/** A schema that was read takes much more memory than its text. */
const MOST_KNOWN = 256

interface ReadSchema {
  read: Read
  problem: SchemaProblem | undefined
}

/** A schema as the client wrote it. */
export interface ClientSchema {
  schema: JsonSchema
  /** The path of the schema in the request. */
  at: string
  /** Whether to refuse keywords whose values have the wrong type. */
  isStrict: boolean
}

interface Drawing {
  seed: number
  /** The path of the schema in the request. */
  at: string
  /** Draws an object if the schema allows any type. */
  isObject?: boolean
  /** The number of items of the outermost lists, where the schema allows it. Default: a few. */
  items?: number | undefined
  /** Counts the work. Default: nobody reads the count. */
  work?: Work
}

/** Draws values that match the JSON Schemas of requests. Clients write the schemas, so all work has a limit. */
export class Structures {
  readonly #known = new Map<string, ReadSchema>()

  /**
   * Finds what makes a schema of a request unusable: a reference that leads nowhere or back to itself,
   * constraints that no finite value can match, or too much to compile.
   */
  problemIn(schemas: Iterable<ClientSchema>): BadField | undefined {
    let instructions = 0
    for (const { schema, at, isStrict } of schemas) {
      const { read, problem } = this.#knownFor(schema)
      instructions += read.instructions
      const large = { path: '', message: TOO_MANY_INSTRUCTIONS }
      const found =
        (isStrict ? read.malformed : undefined) ??
        problem ??
        (instructions > MOST_INSTRUCTIONS ? large : undefined)
      if (found) return refusal(at, found)
    }
    return undefined
  }

  /**
   * Draws a value that matches the schema. The same seed gives the same value.
   *
   * @throws {Undrawable} When no value was found within the limits.
   */
  make(
    schema: JsonSchema,
    { seed, at, isObject = false, items, work = new Work() }: Drawing,
  ): unknown {
    const { read, problem } = this.#knownFor(schema)
    if (problem) throw new Undrawable(refusal(at, problem))
    const { root, tracks } = read
    const shapes = isObject && root.possible & OBJECT ? [root, anyObject] : [root]
    let unmet: SchemaProblem = { path: '', message: TOO_MUCH }
    for (const [attempt, { least }] of ATTEMPTS.entries()) {
      work.allow(MOST_STEPS / ATTEMPTS.length)
      const random = chanceOf(seed + attempt)
      const check = new Check(work, tracks)
      try {
        return new Draw({ random, work, check, least, items }).value(shapes)
      } catch (error) {
        if (error instanceof Unmet) {
          unmet = { path: error.shape?.path ?? '', message: error.message }
        } else if (!isTooMuch(error)) throw error
      }
    }
    throw new Undrawable(refusal(at, unmet))
  }

  #knownFor(schema: JsonSchema): ReadSchema {
    const text = JSON.stringify(schema)
    const before = this.#known.get(text)
    if (before) return before
    const read = readSchema(schema)
    const known = { read, problem: read.problem ?? findProblem(read) }
    remember(this.#known, text, known, MOST_KNOWN)
    return known
  }
}

const TOO_MUCH = 'found no value that satisfies this schema within the limits. Use a simpler one.'

const anyObject = Object.assign(new Shape(''), { types: OBJECT, possible: OBJECT })

const LONGEST_PATH = 300
const GRAMMAR = 'Failed to transform json schema into a grammar'

function refusal(at: string, { path, message }: SchemaProblem): BadField {
  const place = shortened(at + path, LONGEST_PATH)
  // The server names no parameter here.
  return BadField.worded(null, `${GRAMMAR}: ${place}: ${message}`)
}

/** Whether a schema took more work than one may, or more of the stack than its caller has left. */
function isTooMuch(error: unknown): boolean {
  return error instanceof OutOfWork || error instanceof RangeError
}

/** Returns a function that draws numbers in [0, 1) from a seed. */
function chanceOf(seed: number): () => number {
  let index = 0
  return () => mix32(mix32(seed) ^ mix32(index++)) / 2 ** 32
}
