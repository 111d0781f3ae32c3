import { Draw } from '../../support/draw.js'
import { keys, methods, paths, queries } from './families/addresses.js'
import * as bodies from './families/bodies.js'
import { contentTypes, encodings } from './families/encodings.js'
import { wire } from './families/wire.js'
import type { Family, Known, Sent } from './request.js'

/** The families, and how many of 100 requests each makes. */
export const families: Readonly<Record<string, { share: number; make: Family }>> = {
  choice: { share: 7, make: bodies.choices },
  messages: { share: 12, make: bodies.messages },
  trajectory: { share: 14, make: bodies.trajectories },
  scalar: { share: 22, make: bodies.scalars },
  uuid: { share: 5, make: bodies.uuids },
  'JSON texts': { share: 9, make: bodies.texts },
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
