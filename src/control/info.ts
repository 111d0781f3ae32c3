import { info, ready, type Info } from './schemas.js'
import { anything } from '../contract/pydantic/anything.js'
import { toIso } from '../text/iso.js'
import { describeApi } from '../api/openapi.js'
import type { Controlled } from './controlled.js'
import { control } from './row.js'

/** Version, seed, scenario and addresses. */
export function infoOf(world: Controlled): Info {
  const { engine, version, seed, trainingUrl, inferenceUrl, basePath, isolate, access } = world
  const { name, description } = engine.scenario
  return {
    name: 'svtrain-emulator',
    version,
    seed,
    scenario: { name, description },
    training_url: trainingUrl,
    inference_url: inferenceUrl,
    base_path: basePath,
    isolate: isolate ?? null,
    started_at: toIso(engine.startedAt),
    control_token_needed: access.token !== undefined,
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
  run: ({ control: world }) => infoOf(world),
})

const describeControl = control({
  id: 'describeControlApi',
  method: 'GET',
  path: '/_emulator/openapi.json',
  summary: 'The OpenAPI document of the control API',
  response: anything,
  unlisted: true,
  run: ({ operations }) => describeApi(operations, 'control'),
})

export const infoOperations = [readReadiness, readInfo, describeControl]
