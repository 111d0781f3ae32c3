import { build } from 'esbuild'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createClient, type Client } from '../../../src/client.js'
import { createEmulator, type EmulatorOptions } from '../../../src/index.js'
import { served } from '../../support/served.js'
import { openEmulator } from '../open-emulator.js'
import { controlled } from './control.js'

async function clientOn(options: EmulatorOptions = {}): Promise<Client> {
  const emulator = openEmulator({ ...options })
  await emulator.listen()
  return createClient({ url: emulator.trainingUrl })
}

describe('the typed client', () => {
  it('controls an emulator in another process', async () => {
    const client = await clientOn()
    await client.ready()
    const job = await client.jobs.create({ model: 'poet', trajectories: 3 })
    await client.clock.advance('2s')
    expect(await client.jobs.get(job.id)).toMatchObject({ status: 'running', step: 1 })
    await client.jobs.stall(job.id)
    expect(await client.clock.next()).toBe(false)
    await client.jobs.resume(job.id)
    expect(await client.clock.next()).toBe(true)
    await client.clock.advanceTo(new Date('2026-01-01T00:00:04Z'))
    const { happened, text } = await client.settle()
    expect(happened).toBe(1)
    expect(text).toContain('ended')
    await client.useClock('instant')
    expect(await client.jobs.create({ model: 'painter' })).toMatchObject({ status: 'ended' })
    expect(await client.jobs.list({ model: 'poet' })).toHaveLength(1)
    expect((await client.reset('failing-job')).scenario.name).toBe('failing-job')
    expect(await client.jobs.list()).toEqual([])
  })

  it('changes the scenario and the faults', async () => {
    const client = await clientOn()
    const mine = { name: 'mine', extends: 'failing-job', description: 'One of ours.' }
    expect(await client.scenarios.use(mine)).toEqual({
      name: 'mine',
      description: 'One of ours.',
      built_in: false,
    })
    expect((await client.scenarios.current()).yaml).toContain('name: mine')
    expect((await client.scenarios.list()).map(({ name }) => name)).toContain('flaky-gateway')
    const fault = await client.faults.add({ fault: 'status', status: 503 })
    expect(fault).toMatchObject({ fault: 'status', open: true, hits: 0 })
    const { training_url } = await client.info()
    const statusNow = async () => (await fetch(`${training_url}/preview/base-models`)).status
    expect(await statusNow()).toBe(503)
    await client.faults.close(fault.id)
    expect(await statusNow()).toBe(200)
    await client.faults.open(fault.id)
    expect((await client.faults.list())[0]).toMatchObject({ id: fault.id, hits: 1 })
    await client.faults.remove(fault.id)
    expect(await statusNow()).toBe(200)
  })

  it('reports what was refused, and why', async () => {
    const client = await clientOn()
    await expect(client.jobs.fail('x')).rejects.toMatchObject({
      name: 'ControlError',
      code: 'SVTRAIN_CONTROL_REFUSED',
      status: 404,
      message:
        'Failed to POST /_emulator/jobs/x/fail: Not found: there is no job "x": there is none yet. (status 404)',
    })
    const scenario = client.scenarios.use('failing-jop')
    await expect(scenario).rejects.toThrow('Did you mean "failing-job"?')
    // @ts-expect-error: not a fault
    await expect(client.faults.add({ fault: 'stats' })).rejects.toThrow(/"stats"/)
    const unknown = { fault: 'hang', match: { operation: 'createTrainingJob' } } as const
    await expect(client.faults.add(unknown)).rejects.toThrow(/Did you mean "createRlTrainingJob"/)
  })

  it('says where the control API is if it is asked at the inference port', async () => {
    await using emulator = createEmulator({ basePath: '/api' })
    const { port, inferencePort } = await emulator.listen()
    const client = createClient({ url: `http://127.0.0.1:${inferencePort}` })
    await expect(client.info()).rejects.toThrow(
      `Failed to GET /_emulator/info: This is the inference API. The control API is on the port of the training API: http://127.0.0.1:${port}/_emulator (status 404)`,
    )
    expect(emulator.journal.entries).toEqual([])
  })

  it('reports the URL if no emulator answers', async () => {
    const emulator = createEmulator()
    await emulator.listen()
    const url = emulator.trainingUrl
    await emulator.close()
    await expect(createClient({ url }).info()).rejects.toMatchObject({
      code: 'SVTRAIN_UNREACHABLE',
      message: expect.stringContaining('Is it running'),
    })
  })

  it('passes on what an emulator refuses to everybody under its name', async () => {
    await using emulator = createEmulator()
    const fetch: typeof globalThis.fetch = (url, init) => {
      return emulator.fetch(url, { ...init, headers: { host: 'elsewhere.test' } })
    }
    await expect(createClient({ url: emulator.trainingUrl, fetch }).info()).rejects.toMatchObject({
      code: 'SVTRAIN_CONTROL_REFUSED',
      detail: 'Host "elsewhere.test" may not use the control API.',
    })
  })

  it('knows an emulator of a version that does not mark its answers', async () => {
    await using emulator = createEmulator()
    const fetch: typeof globalThis.fetch = async (...call) => {
      const answer = await emulator.fetch(...call)
      const headers = { 'content-type': answer.headers.get('content-type')! }
      return new Response(await answer.text(), { status: answer.status, headers })
    }
    const client = createClient({ url: emulator.trainingUrl, fetch })
    expect((await client.trace()).trimEnd()).toBe(emulator.trace())
    expect(await client.report()).toContain('</html>')
  })

  it.each([
    ['breaks off', { 'content-type': 'application/json', 'content-length': '99' }, '{"name":'],
    ['is no JSON', { 'content-type': 'application/json' }, '{"name":"svtrain-emulator"'],
    ['quotes an emulator', { 'content-type': 'text/html' }, '{"it": {"name":"svtrain-emulator"}}'],
    ['is a file', { 'content-type': 'application/octet-stream' }, 'x', 404],
  ])('reports the URL if the answer %s', async (_, headers, text, status = 200) => {
    const url = await served(({ socket }, response) => {
      const length = { 'content-length': String(text.length) }
      response.writeHead(status, { ...length, ...headers }).write(text, () => socket.end())
    })
    await expect(createClient({ url }).info()).rejects.toMatchObject({
      code: 'SVTRAIN_UNREACHABLE',
    })
  })

  it('refuses what would be another call, before it calls', async () => {
    const { client } = controlled()
    await client.faults.add({ fault: 'hang' })
    for (const id of ['', '.', '..', 'a/b', '\ud800']) {
      await expect(client.faults.remove(id)).rejects.toMatchObject({
        code: 'SVTRAIN_OPTIONS',
        option: 'fault_id',
      })
    }
    expect(await client.faults.list()).toHaveLength(1)
    await expect(client.artifacts.get('demo/rows')).rejects.toThrow(
      'artifacts.get: which is "demo/rows"; expected entity/project/name, or a name alone.',
    )
  })

  it.each([{ world: 'ключ' }, { token: 'a\nb' }])('refuses %o, which no header has', (option) => {
    expect(() => createClient({ url: 'http://127.0.0.1:1', ...option })).toThrow(
      'cannot be sent in a header',
    )
  })

  it('refuses what is no object of parameters, instead of sending its characters', async () => {
    const { client } = controlled()
    for (const wrong of ['createModel', ['createModel'], 7, null] as never[]) {
      for (const call of [
        () => client.requests.count(wrong),
        () => client.requests.wait({}, wrong),
        () => client.jobs.create(wrong),
        () => client.reset('failing-job', wrong),
        () => client.useClock('real', wrong),
        () => client.trigger('RUN_STATE', wrong),
      ]) {
        await expect(call()).rejects.toMatchObject({ code: 'SVTRAIN_OPTIONS' })
      }
    }
    await expect(client.requests.count('createModel')).rejects.toThrow(
      'GET /requests/count: query is "createModel"; expected a plain object, such as { name: value }.',
    )
  })

  it('lets the emulator refuse wrong values', async () => {
    const { client } = controlled()
    const refused = { status: 400 }
    await expect(client.clock.advanceTo(new Date('soon'))).rejects.toMatchObject(refused)
    await expect(client.clock.advanceTo(NaN)).rejects.toThrow('moment is "NaN"; expected a Date')
    // @ts-expect-error: no files
    await expect(client.artifacts.put({ name: 'rows' })).rejects.toMatchObject(refused)
    const files = { 'rows.jsonl': 5 as never }
    await expect(client.artifacts.put({ name: 'rows', files })).rejects.toMatchObject(refused)
  })

  it('is a small bundle without the emulator', async () => {
    const { metafile, outputFiles } = await build({
      entryPoints: [join(import.meta.dirname, '..', '..', '..', 'src', 'client.ts')],
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      metafile: true,
    })
    // The client, what adds the methods of tools, and what checks its options.
    const own =
      /^src\/(?:client\.ts|emulator\/control\/client|emulator\/control\/stored-path|compose\/create-client\.ts|(?:tools|emulator)\/\w+\/control-client\.ts|base\/text\/)/
    expect(Object.keys(metafile.inputs).filter((file) => !own.test(file))).toEqual([
      'node_modules/fastest-levenshtein/esm/mod.js',
    ])
    // Twice its size.
    expect(outputFiles[0]!.contents.length).toBeLessThan(23_000)
  })
})
