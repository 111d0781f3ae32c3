import { describe, expect, it } from 'vitest'
import { createClient, type Client } from '../../../src/client.js'
import type { Emulator } from '../../../src/index.js'
import { submit } from '../../support/trainer.js'
import { openEmulator } from '../open-emulator.js'

function clientOf(emulator: Emulator, world?: string, token?: string): Client {
  return createClient({ url: emulator.trainingUrl, world, token })
}

async function isolated(controlToken?: string): Promise<Emulator> {
  const emulator = openEmulator({ isolate: 'api-key' })
  await emulator.listen({ controlToken })
  return emulator
}

describe('worlds by API key in the control API', () => {
  it('have separate clocks', async () => {
    const emulator = await isolated()
    const [one, two] = [clientOf(emulator, 'one'), clientOf(emulator, 'two')]
    const job = await submit(emulator, 'poet', 'one')
    expect(await submit(emulator, 'poet', 'two')).toBe(job)
    await one.clock.advance('2s')
    await two.jobs.fail(job, 'out of patience')
    expect(await one.jobs.get(job)).toMatchObject({ status: 'running', step: 1 })
    expect(await two.jobs.get(job)).toMatchObject({ status: 'failed', step: 0 })
    expect(await clientOf(emulator).jobs.list()).toEqual([])
    await two.faults.add({ fault: 'status', status: 503 })
    await two.reset('failing-job')
    expect((await one.info()).scenario.name).toBe('happy-path')
    expect((await two.info()).scenario.name).toBe('failing-job')
    expect(await one.requests.count()).toBe(2)
    expect(await two.requests.count()).toBe(0)
  })

  it('have separate seeds and sinks', async () => {
    const emulator = await isolated()
    const [one, two] = [clientOf(emulator, 'one'), clientOf(emulator, 'two')]
    expect((await one.reset('happy-path', { seed: 7 })).seed).toBe(7)
    expect((await two.info()).seed).toBe(1)
    await one.sink.open()
    await one.sink.open()
    await two.sink.open()
    await submit(emulator, 'poet', 'one')
    await one.settle()
    const records = await one.sink.records()
    expect(records.map(({ verdict }) => verdict)).toContain('valid')
    expect(await two.sink.records()).toEqual([])
    await expect(clientOf(emulator).sink.records()).rejects.toMatchObject({ status: 404 })
    expect((await one.reset()).seed).toBe(1)
  })

  it('are listed, and refused if all keys share one world', async () => {
    const emulator = await isolated()
    expect((await clientOf(emulator).info()).isolate).toBe('api-key')
    expect((await clientOf(emulator, 'one').info()).isolate).toBe('api-key')
    const shared = openEmulator()
    await shared.listen()
    expect((await clientOf(shared).info()).isolate).toBeNull()
    expect(await clientOf(shared).worlds()).toEqual([])
    const refused = clientOf(shared, 'one').info()
    await expect(refused).rejects.toMatchObject({ status: 409 })
  })

  it('are listed by name, also in the stream and from inside a world', async () => {
    const emulator = await isolated()
    await submit(emulator, 'poet', 'one')
    const stream = await fetch(new URL('/_emulator/stream?world=world-1', emulator.trainingUrl))
    const texts = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
    let heard = ''
    const hear = async (text: string): Promise<void> => {
      while (!heard.includes(text)) heard += (await texts.read()).value!
    }
    await hear('event: worlds\ndata: {"worlds":["world-1"]}')
    await submit(emulator, 'again', 'one')
    await hear('"world":"world-1"')
    await submit(emulator, 'poet', 'two')
    await hear('event: worlds\ndata: {"worlds":["world-1","world-2"]}')
    await texts.cancel()
    for (const world of [undefined, 'world-2', 'one']) {
      const worlds = await clientOf(emulator, world).worlds()
      expect(worlds).toMatchObject([
        { name: 'world-1', scenario: 'happy-path', requests: 4, jobs: 2, running_jobs: 2 },
        { name: 'world-2', requests: 2, jobs: 1 },
      ])
      expect(JSON.stringify(worlds)).not.toMatch(/"(?:one|two)"/)
    }
    const two = clientOf(emulator, 'world-2')
    expect((await two.requests.list())[0]).toMatchObject({ world: 'world-2' })
    expect((await two.timeline()).world).toBe('world-2')
    expect(await clientOf(emulator, 'two').schedule()).toEqual(await two.schedule())
  })

  it('that do not exist are refused by their name, and not created', async () => {
    const emulator = await isolated()
    const info = (): Promise<unknown> => clientOf(emulator, 'world-2').info()
    await expect(info()).rejects.toThrow(
      'Failed to find the world "world-2". No API key was used yet.',
    )
    await submit(emulator, 'poet', 'one')
    await expect(info()).rejects.toMatchObject({ status: 404 })
    await expect(info()).rejects.toThrow(
      'Failed to find the world "world-2". There is only world-1.',
    )
    expect([...emulator.worlds]).toHaveLength(1)
    for (let key = 2; key < 13; key++) emulator.world(`${key}`)
    const other = clientOf(emulator, 'world-99').info()
    await expect(other).rejects.toThrow(/There are world-3, .*, world-12, and 2 more\. /)
  })

  it('need the same control token', async () => {
    const emulator = await isolated('token')
    const without = clientOf(emulator, 'one').clock.advance('1s')
    await expect(without).rejects.toMatchObject({ status: 401 })
    await clientOf(emulator, 'one', 'token').clock.advance('1s')
    expect((await clientOf(emulator, 'one').info()).control_token_needed).toBe(true)
  })
})
