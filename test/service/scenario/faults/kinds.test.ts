import { describe, expect, it } from 'vitest'
import { createEmulator, type ScenarioInput } from '../../../../src/index.js'
import { operationNames } from '../../../../src/service/contract/operation-names.js'
import {
  faultDefinition,
  faultKinds,
  type FaultKind,
} from '../../../../src/service/scenario/faults/kinds/index.js'
import { halfOf } from '../../../../src/service/scenario/faults/half-answer.js'
import { SeededRandom } from '../../../../src/base/random/random.js'
import { clientOf, type Answer } from '../../../support/api-client.js'
import { createModel, startJob } from '../../../support/trainer.js'
import { FaultDraws } from '../../../../src/tools/explore/parts/drawn-faults.js'
import { NOT_DRAWN } from '../../../../src/tools/explore/parts/drawn-kinds.js'

/** The kinds of 3,000 drawn faults. */
function drawnKinds(): Set<string> {
  const calls = Object.fromEntries(operationNames.map((name) => [name, 3]))
  const observed = { calls, deliveries: 0 } as ConstructorParameters<typeof FaultDraws>[1]
  const draws = new FaultDraws(new SeededRandom(1), observed)
  const scenarios = Array.from({ length: 1000 }, (_, index) => draws.scenario(index))
  return new Set(scenarios.flatMap((scenario) => scenario?.faults ?? []).map(({ fault }) => fault))
}

it('cuts no character in half', () => {
  const text = `{"a":"\u{1F600}"}`
  const halves = [12, 14, 16].map((length) => halfOf(text.padEnd(length)))
  expect(halves).toEqual(['{"a":"', '{"a":"', '{"a":"\u{1F600}'])
})

it('is drawn by explorations, or they say why not', () => {
  const named = [...drawnKinds(), ...Object.keys(NOT_DRAWN)]
  expect(named.sort()).toEqual(Object.keys(faultKinds).sort())
})

/** The kinds that are about some operations, each with its operations. */
const about = (Object.keys(faultKinds) as FaultKind[]).flatMap((kind) => {
  const { operations } = faultDefinition(kind)
  return operations ? [{ kind, operations }] : []
})

/** Keys that a kind must have. */
const REQUIRED: Partial<Record<FaultKind, object>> = {
  job_limit: { most: 1 },
  page_limit: { limit: 1 },
}

type Fault = NonNullable<ScenarioInput['faults']>[number]

/** A world with an unfinished job and a fault for one call, and calls by the names of their operations. */
async function worldWith(kind: FaultKind) {
  const emulator = createEmulator({ clock: 'manual' })
  const { get, post } = clientOf(emulator)
  const { id: model_id } = await createModel(clientOf(emulator))
  const job = await startJob(clientOf(emulator), model_id)
  const fault = emulator.faults.add({ fault: kind, ...REQUIRED[kind], calls: 1 } as Fault)
  const calls: Record<string, () => Promise<Answer>> = {
    healthCheck: () => get('/health'),
    listBaseModels: () => get('/preview/base-models'),
    getTrainingJob: () => get(`/preview/training-jobs/${job}`),
    // Some faults of pages need a cursor, whatever it is.
    listTrainingJobEvents: () => get(`/preview/training-jobs/${job}/events?after=any`),
    listCheckpoints: () => get(`/preview/models/${model_id}/checkpoints?after=any`),
    createRlTrainingJob: () =>
      post('/preview/training-jobs', { model_id, trajectory_groups: [{ trajectories: [] }] }),
    createSftTrainingJob: () =>
      post('/preview/sft-training-jobs', { model_id, training_data_url: 'a://b/c/d' }),
  }
  return { emulator, fault, calls }
}

describe.each(about)('the fault $kind is about some operations', ({ kind, operations }) => {
  it.each(operations)('calls of others do not use it up, and one of %s meets it', async (own) => {
    const { emulator, fault, calls } = await worldWith(kind)
    for (const [operation, call] of Object.entries(calls)) {
      if (!operations.includes(operation)) await call()
    }
    expect(fault.hits).toBe(0)
    const why = `no (accepted )?call of ${operations.join(' or ')} matched`
    expect(() => emulator.assertNothingPending()).toThrow(new RegExp(why))
    await calls[own]!()
    expect(fault.hits).toBe(1)
  })
})
