import { describe, expect, it } from 'vitest'
import { controlled } from './control.js'
import { submit } from '../../support/trainer.js'
import { clientOf } from '../../support/api-client.js'

describe('the requests of the control API', () => {
  it('are listed and counted with filters', async () => {
    const { emulator, client } = controlled()
    const job = await submit(emulator)
    await clientOf(emulator).get(`/preview/training-jobs/${job}`)
    await clientOf(emulator).get('/preview/training-jobs/none')
    const called = async (where: Parameters<typeof client.requests.list>[0]) => {
      return (await client.requests.list(where)).map(({ operation }) => operation)
    }
    expect(await called({})).toEqual([
      'createModel',
      'createRlTrainingJob',
      'getTrainingJob',
      'getTrainingJob',
    ])
    expect(await called({ job })).toEqual(['createRlTrainingJob', 'getTrainingJob'])
    expect(await called({ method: 'post', path: '*/training-jobs' })).toHaveLength(1)
    expect(await called({ status: 404 })).toHaveLength(1)
    expect(await called({ limit: 1 })).toEqual(['getTrainingJob'])
    const [first] = await client.requests.list({ operation: 'createModel' })
    expect(await called({ after: first!.id, limit: 1 })).toEqual(['createRlTrainingJob'])
    expect(await client.requests.count({ operation: 'getTrainingJob' })).toBe(2)
    expect(await client.requests.count({ operation: 'healthCheck' })).toBe(0)
    const misspelt = client.requests.count({ operation: 'helthCheck' })
    await expect(misspelt).rejects.toThrow('Did you mean "healthCheck"?')
  })

  it('can be awaited, and a timeout names the nearest request', async () => {
    const { emulator, client } = controlled()
    const two = client.requests.wait({ operation: 'healthCheck' }, { count: 2 })
    await clientOf(emulator).get('/health')
    await clientOf(emulator).get('/preview/base-models')
    await clientOf(emulator).get('/health')
    expect(await two).toMatchObject([{ status: 200 }, { status: 200 }])
    const miss = client.requests.wait({ operation: 'healthCheck', status: 503 }, { timeout: '1ms' })
    const told = await miss.catch((error: unknown) => error as Error & { status: number })
    expect(told).toMatchObject({ status: 408 })
    expect((told as Error).message).toContain('status: expected 503, received 200')
    const other = client.requests.wait({ operation: 'deleteModel' }, { timeout: '1ms' })
    await expect(other).rejects.toThrow('operation: expected "deleteModel"')
    const never = client.requests.wait({}, { timeout: 'soon' })
    await expect(never).rejects.toMatchObject({ status: 400 })
  })

  it('are awaited until they have the status, across a reset', async () => {
    const { emulator, client } = controlled()
    await client.faults.add({ fault: 'delay', delay: '1h' })
    const cutOff = clientOf(emulator)
      .get('/health')
      .catch(() => 'cut off')
    await emulator.settle(Promise.resolve())
    const two = client.requests.wait({ status: 200 }, { count: 2 })
    await client.info()
    await client.reset()
    expect(await cutOff).toBe('cut off')
    await clientOf(emulator).get('/health')
    await client.faults.add({ fault: 'delay', delay: '1m' })
    const delayed = clientOf(emulator).get('/health')
    await client.info()
    await client.clock.advance('1m')
    await delayed
    expect(await two).toEqual(await client.requests.list({ status: 200 }))
    expect(await two).toHaveLength(2)
  })

  it('are awaited until the emulator closes', async () => {
    const { emulator, client } = controlled()
    const waiting = client.requests.wait({ operation: 'healthCheck' }, { timeout: '5m' })
    await client.info()
    await emulator.close()
    await expect(waiting).rejects.toMatchObject({ status: 408 })
  })
})

it('the pending list of the control API is the same as in the process of the emulator', async () => {
  const { emulator, client } = controlled()
  expect(await client.pending()).toMatchObject({ pending: [] })
  await submit(emulator)
  await client.faults.add({ fault: 'status', status: 503, name: 'gateway' })
  await clientOf(emulator)
    .get('/nothing-here')
    .catch(() => 'refused')
  await client.faults.clear()
  await client.faults.add({ fault: 'drop', name: 'lost' })
  const { pending, text } = await client.pending()
  expect(pending.map(({ what }) => what)).toEqual(['job', 'fault', 'request'])
  expect(() => emulator.assertNothingPending()).toThrow(text)
})
