import { afterEach, describe, expect, it } from 'vitest'
import { catalog } from '../../../src/emulator/coverage/catalog.js'
import type { CoverageTally } from '../../../src/emulator/coverage/recorder.js'
import { suggestionFor, type Suggestion } from '../../../src/emulator/coverage/suggestions.js'
import { operations } from '../../../src/service/api/table.js'
import { checkScenario } from '../../../src/service/scenario/check-scenario.js'
import type { EmulatorOptions } from '../../../src/index.js'
import { CoveringClient } from '../../support/covering-client.js'

/** A client that calls each operation so often between two resets. */
function client(most: number, bursts: number): CoverageTally {
  const use = { calls: most, most, bursts }
  return { counts: {}, operations: Object.fromEntries(operations.map(({ id }) => [id, use])) }
}

/** How often the client of the test calls the operation. */
const CLIENTS = {
  'that calls each operation once': { tally: client(1, 0), calls: 1 },
  'that calls each operation often': { tally: client(12, 8), calls: 12 },
} as const

/** What repeats a call that fails, so the scenario may refuse the first ones. */
const PATIENT: readonly string[] = ['model-creation-fails', 'duplicate-submission', 'happy-path']

let covering: CoveringClient | undefined
afterEach(() => covering?.emulator.close())

function optionsFor({ scenario, part }: Suggestion): EmulatorOptions {
  if (scenario !== null) return { scenario }
  return { scenario: checkScenario({ name: 'gap', extends: 'happy-path', ...part }) }
}

describe.each(Object.entries(CLIENTS))('a client %s', (_name, { tally, calls }) => {
  const cases = catalog.flatMap((group) => {
    return group.behaviors.map(({ id }) => ({ group, id, closing: suggestionFor(id, tally) }))
  })

  it.each(cases.map((each) => [each.id, each.closing.text, each] as const))(
    'meets %s with %s',
    async (id, _text, { group, closing }) => {
      const receiver = { url: 'http://127.0.0.1:9/hook', secret: 's3cret' }
      covering = new CoveringClient({
        ...optionsFor(closing),
        ...(group.kind === 'webhooks' && {
          webhooks: [receiver],
          send: () => Promise.resolve({ status: 200, body: '' }),
        }),
      })
      const patience = PATIENT.includes(closing.scenario ?? '') ? 4 : calls
      if (group.kind === 'operation') await covering.call(group.name, Math.max(calls, patience))
      else if (group.kind === 'streams') await covering.stream(calls)
      else await covering.train(id.startsWith('jobs/sft') ? 'sft' : 'rl')
      const { groups } = await covering.emulator.coverage()
      const met = groups.flatMap(({ behaviors }) => behaviors.filter(({ count }) => count > 0))
      expect(met.map((behavior) => behavior.id)).toContain(id)
    },
  )
})
