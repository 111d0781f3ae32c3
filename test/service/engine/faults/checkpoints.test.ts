import { expect, it } from 'vitest'
import { createEmulator } from '../../../../src/index.js'
import type { FaultInput } from '../../../../src/service/scenario/scenario.js'
import { clientOf } from '../../../support/api-client.js'
import { chat, createModel } from '../../../support/trainer.js'
import { describeTransports, type Api } from '../../../support/transports.js'

const POET = 'local-team/my-project/poet'
const chats = { operation: '*ChatCompletion*' }

async function opened(api: Api, fault: FaultInput): Promise<void> {
  api.emulator.faults.add(fault)
  await createModel(api, 'poet')
}

async function statuses(api: Api, models: readonly (string | undefined)[]): Promise<number[]> {
  const seen: number[] = []
  for (const model of models) {
    seen.push((await chat(api.inference, 'Hello', model === undefined ? {} : { model })).status)
  }
  return seen
}

describeTransports('a fault for checkpoints', (open) => {
  it('hits chats that ask for certain steps, however the step is written', async () => {
    const api = await open()
    await opened(api, { fault: 'status', status: 503, match: { step: { at_least: 1 } } })
    const names = [undefined, `${POET}:step0`, POET, `${POET}:latest`]
    expect(await statuses(api, names)).toEqual([200, 200, 200, 200])
    await api.emulator.checkpoints.add({ model: 'poet' })
    expect(await statuses(api, names)).toEqual([200, 200, 503, 503])
    expect(await statuses(api, [`${POET}:step1`, `${POET}:v1`])).toEqual([503, 503])
    // Other calls have no step, and a checkpoint that does not exist has none either.
    expect((await api.get('/health')).status).toBe(200)
    expect(await statuses(api, [`${POET}:step9`])).toEqual([404])
  })

  it('counts the calls of each checkpoint, also after a restore', async () => {
    const api = await open()
    await opened(api, {
      fault: 'status',
      status: 503,
      match: { ...chats, step: { at_least: 1 } },
      per: 'checkpoint',
      calls: { to: 2 },
    })
    await api.emulator.checkpoints.add({ model: 'poet' })
    expect(await statuses(api, [POET, `${POET}:step1`, POET, POET])).toEqual([503, 503, 200, 200])
    await api.emulator.checkpoints.add({ model: 'poet' })
    expect(await statuses(api, [POET, `${POET}:step1`])).toEqual([503, 200])
    api.emulator.restore(await api.emulator.snapshot())
    expect(await statuses(api, [POET, POET, `${POET}:step1`])).toEqual([503, 200, 200])
  })
})

it('tells functions in code which step a chat asks for', async () => {
  await using emulator = createEmulator()
  const seen: (number | undefined)[] = []
  emulator.faults.add({
    fault: 'status',
    status: 503,
    match: ({ step }) => step !== undefined && seen.push(step) === 0,
  })
  const api = clientOf(emulator)
  await chat(api.inference, 'Hello')
  await api.get('/health')
  expect(seen).toEqual([0])
})

it('suggests what can be counted together', () => {
  const emulator = createEmulator()
  const fault = { fault: 'status', status: 503, per: 'checkpoints' } as unknown as FaultInput
  expect(() => emulator.faults.add(fault)).toThrow('checkpoint')
})
