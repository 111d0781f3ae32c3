import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { operationNames } from '../../../../src/service/contract/operation-names.js'
import { faultKinds } from '../../../../src/service/scenario/faults/kinds/index.js'
import { scenarioJsonSchema } from '../../../../src/service/scenario/scenario-json-schema.js'
import { SeededRandom } from '../../../../src/base/random/random.js'
import { FaultDraws, NOT_DRAWN } from '../../../../src/tools/explore/parts/drawn-faults.js'

const reference = join(import.meta.dirname, '../../../../docs/reference/scenario.md')
/** The first cells of the tables of the reference. */
const listed = [...readFileSync(reference, 'utf8').matchAll(/^\| \[?`(\w+)`/gm)].map(
  ([, name]) => name,
)

/** The kinds that the schema of scenarios accepts. */
const accepted = JSON.stringify(scenarioJsonSchema().properties)

/** The kinds of 3,000 drawn faults. */
function drawnKinds(): Set<string> {
  const calls = Object.fromEntries(operationNames.map((name) => [name, 3]))
  const observed = { calls, deliveries: 0 } as ConstructorParameters<typeof FaultDraws>[1]
  const draws = new FaultDraws(new SeededRandom(1), observed)
  const scenarios = Array.from({ length: 1000 }, (_, index) => draws.scenario(index))
  return new Set(scenarios.flatMap((scenario) => scenario?.faults ?? []).map(({ fault }) => fault))
}

it.each(Object.keys(faultKinds))(
  'the fault %s is in the schema of scenarios and in the reference',
  (kind) => {
    expect(accepted).toContain(`{"type":"string","const":"${kind}"}`)
    expect(listed).toContain(kind)
  },
)

it('is drawn by explorations, or they say why not', () => {
  const named = [...drawnKinds(), ...Object.keys(NOT_DRAWN)]
  expect(named.sort()).toEqual(Object.keys(faultKinds).sort())
})
