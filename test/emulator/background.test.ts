import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Emulator, EmulatorOptions } from '../../src/index.js'
import { requestLog } from '../../src/cli/request-log.js'
import { apiClient, jsonHeaders } from '../support/api-client.js'
import { diskError, stubDisk } from '../support/failing-disk.js'
import { SECRET, startReceiver } from '../support/receiver.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { describeTransports } from '../support/transports.js'
import { until } from '../support/until.js'
import { withHook } from '../webhooks/sending/world.js'
import { jobsWith } from '../support/job-timelines.js'
import { openEmulator } from './open-emulator.js'

const fail = (): never => {
  throw new TypeError('the cause of it')
}

/** Errors that nobody caught would end a process. */
const escaped: unknown[] = []
const escape = (error: unknown): void => void escaped.push(error)

beforeEach(() => void process.on('uncaughtException', escape).on('unhandledRejection', escape))
afterEach(() => {
  process.off('uncaughtException', escape).off('unhandledRejection', escape)
  if (escaped.length > 0) throw new AggregateError(escaped.splice(0), 'Nobody caught them.')
})

/** What the journal, the log and the trace say about errors. */
function errorsOf(emulator: Emulator) {
  const notes = emulator.journal.entries.filter((entry) => entry.kind === 'note')
  const errors = notes.filter(({ stack }) => stack !== undefined)
  const lines: string[] = []
  const write = (line: string): void => void lines.push(line)
  const { log } = requestLog('pretty', { write, paint: (_, text) => text })
  for (const entry of errors) log(entry)
  const trace = emulator.trace()
  for (const { text } of errors) {
    expect(lines.join('\n')).toContain(text)
    expect(trace).toContain(text)
  }
  return errors.map(({ text }) => text)
}

function open(options: EmulatorOptions = {}): Emulator {
  return openEmulator({ serveAnyModel: true, ...options })
}

type Fetch = typeof fetch

/** Calls the emulator after an error. */
async function health(emulator: Emulator, send: Fetch = emulator.fetch): Promise<number> {
  return (await apiClient(emulator, send).get('/health')).status
}

function streamedChat(emulator: Emulator, send: Fetch = emulator.fetch): Promise<Response> {
  const messages = [{ role: 'user', content: 'Tell me of the sea.' }]
  return send(`${emulator.inferenceUrl}/chat/completions`, {
    method: 'POST',
    headers: jsonHeaders(emulator.apiKey),
    body: JSON.stringify({ model: 'm', stream: true, messages }),
  })
}

describe('an error of a delivery', () => {
  it('that comes from removing its secrets leaves out the answer, and the delivery is over', async () => {
    const receiver = await startReceiver((response) => response.writeHead(500).end('no room'))
    const emulator = withHook(receiver, { retries: ['1s'] })
    vi.spyOn(emulator.webhooks, 'withoutSecrets').mockImplementation(fail)
    await emulator.jobs.start()
    emulator.clock.advance('1h')
    await emulator.settle()
    expect(emulator.webhooks.deliveries.map(({ status }) => status)).toEqual(['failed', 'failed'])
    expect(emulator.webhooks.deliveries[0]!.attempts).toHaveLength(2)
    const [first] = emulator.journal.entries.filter(({ kind }) => kind === 'delivery')
    expect(first).toMatchObject({ status: 500, error: 'answered 500' })
    expect(errorsOf(emulator)[0]).toBe(
      'Failed to remove secrets from what is shown of a delivery: TypeError: the cause of it',
    )
    expect(await health(emulator)).toBe(200)
  })

  it('that comes from the end of an attempt ends this delivery alone, and a resend is answered', async () => {
    const emulator = withHook(
      { url: 'http://127.0.0.1:9/hook' },
      { secret: undefined },
      { send: () => Promise.resolve({ status: 500, body: '' }), secrets: {} },
    )
    const recorded = vi.spyOn(emulator.journal, 'delivered')
    recorded.mockImplementationOnce(() => {
      throw new TypeError('done is not a function')
    })
    const [delivery] = await emulator.trigger('RUN_STATE', { state: 'failed' })
    await emulator.webhooks.idle()
    expect(delivery!.status).toBe('failed')
    const [text] = errorsOf(emulator)
    expect(text).toMatch(/^Failed to deliver RUN_STATE failed to hook: TypeError: .*not a function/)
    const entry = emulator.journal.entries.find(({ kind }) => kind === 'delivery')!
    const note = emulator.journal.entries.find(({ kind }) => kind === 'note')
    expect(note!.cause).toBe(entry.id)
    await emulator.webhooks.resend(delivery!.id)
    expect(delivery!.attempts).toHaveLength(2)
  })

  it('that comes from signing says so, without the text of the error', async () => {
    const receiver = await startReceiver()
    const emulator = withHook(receiver)
    vi.spyOn(emulator.webhooks, 'withoutSecrets').mockImplementation(fail)
    const signing = vi
      .spyOn(crypto.subtle, 'sign')
      .mockRejectedValue(new Error(`cannot sign with ${SECRET}`))
    onTestFinished(() => signing.mockRestore())
    const [delivery] = await emulator.trigger('RUN_STATE', { state: 'failed' })
    await emulator.webhooks.idle()
    expect(delivery!.attempts[0]!.error).toBe(
      'not sent: signing failed: [not shown: its secrets cannot be removed]',
    )
    expect(errorsOf(emulator)).toHaveLength(1)
    expect(emulator.trace()).not.toContain(SECRET)
  })
})

describe('an error of a timer', () => {
  it('under the real clock stops no other task', async () => {
    const emulator = open({ clock: 'real' })
    let ran = false
    const now = emulator.clock.now()
    emulator.clock.at(now, fail)
    emulator.clock.at(now + 1, () => (ran = true))
    await until('the next task runs', () => ran)
    expect(errorsOf(emulator)).toEqual([
      'Failed to run a scheduled task: TypeError: the cause of it',
    ])
    expect(await health(emulator)).toBe(200)
  })

  it('under a virtual clock stops no other task, and the test that moves the clock gets it', () => {
    const emulator = open()
    const ran: number[] = []
    const now = emulator.clock.now()
    emulator.clock.at(now + 1, fail)
    emulator.clock.at(now + 2, () => ran.push(2))
    expect(() => emulator.clock.advance('1m')).toThrow('the cause of it')
    expect(ran).toEqual([2])
    expect(emulator.clock.now()).toBe(now + 60_000)
    expect(errorsOf(emulator)).toHaveLength(1)
  })

  it('in a function of the scenario names the task, and does not end the process', async () => {
    const jobs = jobsWith({ count: 3, metrics: { loss: fail } })
    const scenario = { name: 'own', description: '', jobs }
    const emulator = open({ clock: 'real', speed: 100_000, scenario })
    const job = await emulator.jobs.start()
    await until('a step fails', () => errorsOf(emulator).length > 0)
    expect(errorsOf(emulator)).toEqual([
      `Failed to run what job ${job.id.slice(0, 8)} does next: A function of the scenario "own" failed: background.test.ts:15:9 jobs[0].timeline[1].metrics.loss: threw TypeError: the cause of it`,
    ])
    expect(job.status).toBe('running')
    expect(await health(emulator)).toBe(200)
  })
})

it('an error of a save is in the journal and the log, and later calls are answered', async () => {
  const emulator = openEmulator({ data: temporaryFolder() })
  await emulator.ready()
  await emulator.jobs.start()
  const free = stubDisk('writeFileSync', () => {
    throw diskError('ENOSPC', 'no space left on device, write')
  })
  emulator.faults.add({ fault: 'hang', calls: [9] })
  await until('the save failed', () => errorsOf(emulator).length > 0)
  expect(errorsOf(emulator)[0]).toMatch(/^Failed to save the world: .*ENOSPC/)
  free()
  expect(await health(emulator)).toBe(200)
})

it('an error of a listener of the journal is reported once, and the other listeners get the entry', async () => {
  const emulator = open()
  await emulator.listen()
  let heard = 0
  emulator.journal.subscribe(fail)
  emulator.journal.subscribe(() => heard++)
  for (let call = 0; call < 3; call++) {
    expect(await health(emulator, fetch)).toBe(200)
  }
  expect(heard).toBe(4)
  expect(errorsOf(emulator)).toEqual([
    'Failed to tell a listener of the journal: TypeError: the cause of it',
  ])
})

describeTransports('an error of a stream', (openApi) => {
  it('of a chat ends the answer with an error', async () => {
    const { emulator, fetch: send } = await openApi({
      serveAnyModel: true,
      clock: 'instant',
      scenario: { name: 'paced', description: '', chat: { pace: { first_token: '10ms' } } },
    })
    const wait = vi.spyOn(emulator.engine.delayed, 'wait')
    wait.mockImplementation(async () => (wait.mock.calls.length < 3 ? true : fail()))
    const answer = await streamedChat(emulator, send)
    expect(answer.status).toBe(200)
    expect(await answer.text().catch((error: unknown) => error)).toBeInstanceOf(Error)
    expect(errorsOf(emulator)).toEqual([
      'Failed to send all of the answer to POST /v1/chat/completions: TypeError: the cause of it',
    ])
    wait.mockRestore()
    expect(await health(emulator, send)).toBe(200)
  })

  it('of the control API ends it with an error', async () => {
    const { emulator, fetch: send } = await openApi()
    const worlds = vi.spyOn(emulator, 'allWorlds', 'get').mockImplementation(fail)
    const answer = await send(new URL('/_emulator/stream', emulator.trainingUrl))
    expect(await answer.text().catch((error: unknown) => error)).toBeInstanceOf(Error)
    worlds.mockRestore()
    expect(errorsOf(emulator)).toEqual([
      'Failed to send all of the answer to GET /_emulator/stream: TypeError: the cause of it',
    ])
    expect(await health(emulator, send)).toBe(200)
  })

  it('that the scenario asks for is not reported', async () => {
    const { emulator, fetch: send } = await openApi({ serveAnyModel: true })
    emulator.faults.add({ fault: 'drop', stage: 'mid_body' })
    const answer = await streamedChat(emulator, send)
    expect(await answer.text().catch((error: unknown) => error)).toBeInstanceOf(Error)
    expect(errorsOf(emulator)).toEqual([])
  })
})

describeTransports('a call whose handling fails', (openApi) => {
  it('is answered with 500, and the journal says why', async () => {
    const { emulator, fetch: send } = await openApi()
    const control = vi.spyOn(emulator, 'seed', 'get').mockImplementation(fail)
    const info = await send(new URL('/_emulator/info', emulator.trainingUrl))
    expect(info.status).toBe(500)
    expect(await info.text()).toContain('TypeError: the cause of it')
    control.mockRestore()
    expect(errorsOf(emulator)).toEqual([
      'Failed to answer GET /_emulator/info: TypeError: the cause of it',
    ])
    expect(await health(emulator, send)).toBe(200)
  })
})

it('the start of a world that cannot create its models answers calls all the same', async () => {
  const emulator = open()
  await emulator.ready()
  vi.spyOn(emulator.engine, 'modelCalled').mockRejectedValue(new TypeError('the cause of it'))
  emulator.follow({
    name: 'with models',
    description: '',
    models: [{ name: 'poet', project: 'p', base_model: 'example/base-8b-instruct' }],
  })
  expect(await health(emulator)).toBe(200)
  expect(errorsOf(emulator)).toEqual([
    'Failed to create what the scenario begins with: TypeError: the cause of it',
  ])
  expect((await streamedChat(emulator)).status).toBe(200)
})
