import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { allMutants, keyOf, type Mutant } from './draw.js'

/** The list of the drawn mutants. It is committed, so that a change of a program or an operator shows in it. */
export const LIST = join(import.meta.dirname, 'drawn.txt')

/** Returns the drawn mutants, in the order of the list. */
export function drawn(): Mutant[] {
  const all = new Map(allMutants().map((mutant) => [keyOf(mutant), mutant]))
  return readFileSync(LIST, 'utf8')
    .trimEnd()
    .split('\n')
    .map((key) => {
      const mutant = all.get(key)
      if (!mutant)
        throw new Error(
          `No operator makes this any more: ${key}. Draw again: tsx test/tools/explore/mutants/redraw.ts`,
        )
      return mutant
    })
}
