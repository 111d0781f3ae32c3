import { describe, expect, it } from 'vitest'
import type { Emulator } from '../../../src/index.js'
import { caller, type Call } from './control.js'
import { openEmulator } from '../open-emulator.js'

interface Frame {
  event: string
  // Tests know what they asked for.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any
}

/** The events of a stream, one by one. */
async function* events(response: Response): AsyncGenerator<Frame> {
  let rest = ''
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop()!
    for (const block of blocks) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
      if (event !== undefined) yield { event, data: JSON.parse(data!) }
    }
  }
}

interface Streamed {
  emulator: Emulator
  call: Call
  /** Waits for an event of that name that is so. */
  hear: (event: string, isSo?: (data: Frame['data']) => boolean) => Promise<Frame['data']>
}

async function streaming(query = ''): Promise<Streamed> {
  const emulator = openEmulator()
  await emulator.listen()
  const call = caller(emulator, fetch)
  await call('POST /jobs', { model: 'before' })
  const response = await fetch(new URL(`/_emulator/stream${query}`, emulator.trainingUrl))
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const frames = events(response)
  return {
    emulator,
    call,
    async hear(event, isSo = () => true) {
      for (;;) {
        const { done, value } = await frames.next()
        if (done) throw new Error(`The stream ended without ${event}`)
        if (value.event === event && isSo(value.data)) return value.data
      }
    },
  }
}

describe('the live stream', { timeout: 30_000 }, () => {
  it('sends requests, jobs and the time as they change', async () => {
    const { emulator, call, hear } = await streaming()
    await hear('clock', ({ now }) => now === '2026-01-01T00:00:00.000Z')
    const { body: job } = await call('POST /jobs', { model: 'poet' })
    const queued = await hear('jobs')
    expect(queued.jobs).toMatchObject([{ id: job.id, status: 'queued' }])
    await fetch(`${emulator.trainingUrl}/preview/base-models`)
    const { entries } = await hear('entries', ({ entries: [{ kind }] }) => kind === 'request')
    expect(entries[0]).toMatchObject({
      kind: 'request',
      text: 'GET /v1/preview/base-models 200',
      operation: 'listBaseModels',
    })
    await call(`POST /jobs/${job.id}/stall`)
    expect((await hear('jobs')).jobs).toMatchObject([{ id: job.id, stalled: true }])
    await call('POST /clock/advance', { by: '3s' })
    await hear('clock', ({ now }) => now === '2026-01-01T00:00:03.000Z')
    await call('POST /clock', { mode: 'auto' })
    await hear('clock', ({ mode }) => mode === 'auto')
  })

  it('begins with the entries after a given id', async () => {
    const { hear } = await streaming('?after=0')
    const { entries, skipped } = await hear('entries')
    expect(entries[0]).toMatchObject({ id: 1, text: 'control: a job on before' })
    expect(skipped).toBe(0)
  })

  it('sends the newest entries of very many, and counts the others', async () => {
    const { emulator, hear } = await streaming()
    await hear('clock')
    for (let number = 1; number <= 500; number++) emulator.journal.note(`note ${number}`)
    const { entries, skipped } = await hear('entries')
    expect(entries).toHaveLength(200)
    expect(entries.at(-1)!.text).toBe('note 500')
    expect(skipped).toBe(300)
  })

  it('sends the latest changed jobs of very many, and counts the others', async () => {
    const { emulator, hear } = await streaming()
    const model = await emulator.models.create({ name: 'poet' })
    for (let number = 1; number <= 2100; number++) await emulator.jobs.start({ model })
    emulator.clock.advance('1d')
    const isOver = ({ status }: { status: string }): boolean => status === 'ended'
    const { jobs, skipped } = await hear('jobs', (frame) => frame.jobs.some(isOver))
    expect(jobs).toHaveLength(200)
    expect(skipped).toBeGreaterThanOrEqual(100)
  })

  it('announces another world, after a reset and after a restore', async () => {
    const { emulator, call, hear } = await streaming()
    await hear('clock')
    await call('POST /reset')
    await hear('reset')
    await call('PUT /snapshot', await emulator.snapshot())
    await hear('reset')
    const { body: job } = await call('POST /jobs', { model: 'poet' })
    const { jobs } = await hear('jobs')
    expect(jobs).toMatchObject([{ id: job.id }])
  })

  it('ends when the emulator closes', async () => {
    const { emulator, hear } = await streaming()
    await hear('clock')
    const [heard] = await Promise.allSettled([hear('reset'), emulator.close()])
    expect(heard).toMatchObject({
      status: 'rejected',
      reason: { message: 'The stream ended without reset' },
    })
  })
})
