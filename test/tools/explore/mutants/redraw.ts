// Writes the list of the drawn mutants again, after a change of a program or an operator:
//
//   tsx test/tools/explore/mutants/redraw.ts
import { writeFileSync } from 'node:fs'
import { allMutants, drawMutants, keyOf } from './draw.js'
import { LIST } from './drawn.js'
import { whyExcluded } from './excluded.js'

const mutants = drawMutants(allMutants(), (mutant) => whyExcluded(mutant) !== undefined)
writeFileSync(LIST, `${mutants.map(keyOf).join('\n')}\n`)
