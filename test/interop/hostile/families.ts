import { Draw } from '../../support/draw.js'
import { keys, methods, paths, queries } from './families/addresses.js'
import * as bodies from './families/bodies.js'
import { contentTypes, encodings } from './families/encodings.js'
import { wire } from './families/wire.js'
import type { Family, Known, Sent } from './request.js'

interface FamilyOf {
  /** How many of 100 requests it makes. */
  readonly share: number
  readonly make: Family
  /** Whether the text of a JSON body is all that is odd. The server that reads it has no part in the answer. */
  readonly inBody?: boolean
}

export const families: Readonly<Record<string, FamilyOf>> = {
  choice: { share: 7, make: bodies.choices, inBody: true },
  messages: { share: 12, make: bodies.messages, inBody: true },
  trajectory: { share: 14, make: bodies.trajectories, inBody: true },
  scalar: { share: 22, make: bodies.scalars, inBody: true },
  uuid: { share: 5, make: bodies.uuids },
  'JSON texts': { share: 9, make: bodies.texts, inBody: true },
  encodings: { share: 4, make: encodings },
  nesting: { share: 2, make: bodies.nesting },
  query: { share: 6, make: queries },
  keys: { share: 5, make: keys },
  path: { share: 5, make: paths },
  method: { share: 3, make: methods },
  'content types': { share: 2, make: contentTypes },
  wire: { share: 4, make: wire },
}

export interface Generated extends Sent {
  readonly family: string
  /** Its number. With the seed, it makes the same request again. */
  readonly index: number
}

/** Request `index` of a seed. The same three arguments make the same request. */
export function generate(seed: number, index: number, known: Known): Generated {
  const draw = new Draw(seed, `hostile ${index}`)
  const family = draw.oneOf(NAMES)
  return { family, index, ...families[family]!.make(draw, known, index) }
}

const NAMES = Object.entries(families).flatMap(([name, { share }]) =>
  Array.from({ length: share }, () => name),
)
