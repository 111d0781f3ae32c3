import {
  documentPath,
  documentQuery,
  info,
  ready,
  type Info,
  worlds,
  type WorldState,
} from './schemas/info.js'
import type { NamedScenario } from './schemas/scenario.js'
import { ApiError } from '../../service/contract/errors.js'
import type { Host } from '../../service/contract/exchange.js'
import { contractHint, contractVersions } from '../../service/contract/versions.js'
import { operationsIn } from '../../service/api/table.js'
import { anything } from '../../service/contract/pydantic/scalars.js'
import { toIso } from '../../base/text/iso.js'
import { version } from '../../base/text/version.js'
import { describeApi } from '../../service/api/openapi.js'
import type { Emulator } from '../emulator.js'
import type { Scenario } from '../../service/scenario/scenario.js'
import { byCreation } from '../testing/world-names.js'
import { control } from './row.js'
import { thereIsNo } from './unknown-names.js'

/** The name and the description of a scenario of an emulator. */
export function namedScenario(
  { name, description }: Scenario,
  { ownScenarios }: Emulator,
): NamedScenario {
  return { name, description, built_in: !ownScenarios.some((own) => own.name === name) }
}

/** Version, seed, scenario and addresses. */
export function infoOf(world: Emulator): Info {
  const { engine, seed, trainingUrl, inferenceUrl, basePath, contract, isolate, controlToken } =
    world
  return {
    name: 'svtrain-emulator',
    version,
    seed,
    scenario: namedScenario(engine.scenario, world),
    training_url: trainingUrl,
    inference_url: inferenceUrl,
    base_path: basePath,
    contract,
    isolate: isolate ?? null,
    started_at: toIso(engine.startedAt),
    control_token_needed: controlToken !== undefined,
  }
}

const readReadiness = control({
  id: 'ready',
  method: 'GET',
  path: '/_emulator/ready',
  summary: "Answers when the emulator listens and the scenario's initial records exist",
  response: ready,
  run: () => ({ ready: true }),
})

const readInfo = control({
  id: 'readInfo',
  method: 'GET',
  path: '/_emulator/info',
  summary: 'Version, seed, current scenario and addresses',
  response: info,
  run: ({ emulator: world }) => infoOf(world),
})

const listWorlds = control({
  id: 'listWorlds',
  method: 'GET',
  path: '/_emulator/worlds',
  summary: 'The worlds of the API keys that were used; empty if all keys share one world',
  response: worlds,
  run: ({ emulator }) => ({
    worlds: [...emulator.allWorlds]
      .map(worldState)
      .sort((one, other) => byCreation(one.name, other.name)),
  }),
})

function worldState({ worldName, engine, journal }: Emulator): WorldState {
  const jobs = [...engine.store.jobs.values()]
  return {
    name: worldName ?? '',
    scenario: engine.scenario.name,
    now: toIso(engine.clock.now()),
    requests: journal.requestCount,
    jobs: jobs.length,
    running_jobs: jobs.filter(({ over }) => !over).length,
  }
}

const describeControl = control({
  id: 'describeControlApi',
  method: 'GET',
  path: '/_emulator/openapi.json',
  summary: 'The OpenAPI document of the control API',
  response: anything,
  unlisted: true,
  run: ({ operations }) => describeApi(operations, 'control'),
})

/** The documents of the emulated APIs, by their names. */
const documents: ReadonlyMap<string, Host> = new Map([
  ['training.json', 'training'],
  ['inference.json', 'inference'],
])

const describeService = control({
  id: 'describeServiceApi',
  method: 'GET',
  path: '/_emulator/openapi/{document}',
  summary:
    'The OpenAPI document of the training API (`training.json`) or of the inference API (`inference.json`), in the contract of the world, or in that of `?contract=2026-01`',
  params: documentPath,
  query: documentQuery,
  response: anything,
  unlisted: true,
  run({ emulator: { contract: own }, params: { document }, query: { contract = own } }) {
    const host = documents.get(document)
    if (host === undefined) return thereIsNo('', document, [...documents.keys()])
    const known = contractVersions.find((each) => each === contract)
    if (known === undefined) {
      const allowed = contractVersions.join(', ')
      const wrong = `query.contract: "${contract}" is not allowed here.`
      return new ApiError(400, `${wrong}${contractHint(contract)} Allowed: ${allowed}.`)
    }
    return describeApi(operationsIn(known), host)
  },
})

export const infoOperations = [
  readReadiness,
  readInfo,
  listWorlds,
  describeControl,
  describeService,
]
