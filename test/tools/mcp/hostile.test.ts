import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEmulator as createInBrowser } from '../../../src/browser.js'
import { createEmulator, type EmulatorOptions } from '../../../src/index.js'
import * as docs from '../../../src/emulator/adapters/docs-pages.js'
import { mcpEndpoint } from '../../../src/tools/mcp/endpoint.js'
import { tools } from '../../../src/tools/mcp/tools.js'
import { connectOverHttp, connectTo } from './sessions.js'

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

async function listening(options: EmulatorOptions & { controlToken?: string } = {}) {
  const { controlToken, ...rest } = options
  const emulator = createEmulator({ clock: 'instant', ...rest })
  onTestFinished(() => emulator.close())
  const { port } = await emulator.listen({ ...(controlToken !== undefined && { controlToken }) })
  const url = `http://127.0.0.1:${port}/_emulator/mcp`
  const send = (body: unknown, headers: Record<string, string> = {}): Promise<Response> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return fetch(url, { method: 'POST', headers: { ...JSON_HEADERS, ...headers }, body: text })
  }
  return { emulator, url, send }
}

describe('The MCP server of an emulator', () => {
  it.each([
    [
      'tools/call',
      {},
      'tools/call: params.name: Invalid input: expected string, received undefined',
    ],
    ['tools/call', undefined, /^tools\/call: params: Invalid input: expected object/],
    ['resources/read', {}, /^resources\/read: params\.uri: Invalid input/],
  ])('says in words what is wrong with %s %j', async (method, params, message) => {
    const { send } = await listening()
    const answer = await send(
      { jsonrpc: '2.0', id: 1, method, params },
      { accept: 'application/json, text/event-stream' },
    )
    const [, json] = /^(?:event: message\n)?data: (.*)$/m.exec(await answer.text()) ?? []
    expect(JSON.parse(json!)).toMatchObject({
      error: { code: -32602, message: expect.stringMatching(message) },
    })
  })

  it('answers a call by hand as JSON, without any headers', async () => {
    const { url } = await listening()
    const params = { name: 'create_job', arguments: { model: 'poet' } }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const answer = await fetch(url, { method: 'POST', body })
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(await answer.json()).toMatchObject({
      id: 1,
      result: { content: [{ type: 'text', text: expect.stringContaining('rl "poet"') }] },
    })
  })

  it('refuses a message of 5 MB, and one that the port dropped, in the same way', async () => {
    const { emulator, send } = await listening()
    const refused = await send({ ...LIST, params: { text: 'x'.repeat(5_000_000) } })
    const dropped = await mcpEndpoint(docs).answer(emulator, {
      host: 'training',
      method: 'POST',
      path: '/_emulator/mcp',
      query: {},
      headers: {},
      body: 'too-large',
    } as never)
    expect(refused.status).toBe(413)
    expect(dropped).toMatchObject({ kind: 'response', status: 413, body: await refused.text() })
  })

  it.each([
    // Without `isolate`, there is no world to name.
    ['svtrain-world', 409],
    ['accept', 200],
  ])('answers in process, also if no request can have the header %s', async (name, status) => {
    const { emulator } = await listening()
    const outcome = await emulator.handle('training', {
      method: 'POST',
      base: 'http://127.0.0.1',
      path: '/_emulator/mcp',
      query: '',
      headers: { [name]: '\ud800' },
      body: Buffer.from(JSON.stringify(LIST)),
    })
    expect(outcome).toMatchObject({ status })
  })

  it.each(['GET', 'DELETE', 'PUT'])('has no session, so it refuses %s with 405', async (method) => {
    const { url } = await listening()
    const headers = { accept: 'text/event-stream' }
    const refused = await fetch(url, { method, headers })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it('needs the control token, if there is one, for every message', async () => {
    const { emulator, send } = await listening({ controlToken: 'opensesame' })
    expect((await send(LIST)).status).toBe(401)
    expect((await send(LIST, { authorization: 'Bearer wrong' })).status).toBe(401)
    const headers = { authorization: 'Bearer opensesame' }
    const { text, client } = await connectOverHttp(emulator, { headers })
    await text('start_scenario', { name: 'failing-job' })
    const answers = [await text('get_status'), JSON.stringify(await client.listTools())]
    expect(answers.join('\n')).not.toContain('opensesame')
  })

  it('follows a control token that is set after its first call', async () => {
    const emulator = createEmulator({ clock: 'instant' })
    onTestFinished(() => emulator.close())
    const before = await connectOverHttp(emulator, { fetch: emulator.fetch })
    await before.text('start_scenario', { name: 'failing-job' })
    await emulator.listen({ controlToken: 'opensesame' })
    const headers = { authorization: 'Bearer opensesame' }
    const { text } = await connectOverHttp(emulator, { headers })
    await text('start_scenario', { name: 'happy-path' })
    expect(await text('get_status')).toContain('scenario: happy-path')
  })

  it('is not recorded', async () => {
    const { emulator } = await listening()
    const { text } = await connectOverHttp(emulator)
    await text('get_status')
    await text('list_requests')
    expect(emulator.journal.entries).toEqual([])
  })

  it('keeps the worlds of two keys apart', async () => {
    const { emulator } = await listening({ isolate: 'api-key' })
    const session = (world: string) =>
      connectOverHttp(emulator, { headers: { 'svtrain-world': world } })
    const [one, other] = [await session('key-one'), await session('key-two')]
    await one.text('start_scenario', { name: 'failing-job' })
    await one.text('create_job', { model: 'poet' })
    expect(await one.text('list_jobs')).toContain('"poet"')
    expect(await other.text('list_jobs')).toMatch(/^There are no such jobs/)
    expect(await other.text('get_status')).toContain('scenario: happy-path')
    expect(emulator.world('key-one').journal.entries.length).toBeGreaterThan(2)
    expect(emulator.world('key-two').journal.entries).toEqual([])
  })

  it('does not exist in a browser, and says so', async () => {
    const emulator = createInBrowser()
    const url = new URL('/_emulator/mcp', emulator.trainingUrl)
    const refused = await emulator.fetch(url, {
      method: 'POST',
      headers: JSON_HEADERS,
      body: JSON.stringify(LIST),
    })
    expect(refused.status).toBe(501)
    expect(await refused.text()).toContain('An emulator in a browser has no MCP server.')
  })

  it('serves messages after the emulator was closed and listens again', async () => {
    const { emulator } = await listening()
    await (await connectOverHttp(emulator)).text('get_status')
    await emulator.close()
    await emulator.listen()
    expect(await (await connectOverHttp(emulator)).text('get_status')).toContain('seed: 1')
  })
})

describe('A tool', () => {
  it('that does not exist is refused with the nearest one', async () => {
    const { tool } = await connectTo('in process')
    await expect(tool('list_job')).rejects.toThrow(
      /Unknown tool "list_job". Did you mean "list_jobs"\?/,
    )
  })

  const wrong: [tool: string, args: Record<string, unknown>, reason: string][] = [
    ['read_job', { jobs: 'x' }, 'unknown parameter "jobs". Did you mean "job"? Known here: job.'],
    ['get_status', { page: 1 }, 'page: unknown parameter "page". This call takes none.'],
    ['check_scenario', {}, 'yaml: Field required.'],
    [
      'create_job',
      { kind: 'sfx' },
      'kind: "sfx" is not allowed here. Did you mean "sft"? Allowed: rl, sft.',
    ],
    ['list_jobs', { page: 0 }, 'page: Input should be greater than or equal to 1.'],
    ['list_scenarios', { page: 900_000 }, 'There is no page 900000. The result has'],
    ['read_job', {}, 'There is no job yet.'],
    ['choose_scenario', {}, 'Pass either "name"'],
    ['start_scenario', { name: 'faling-job' }, 'Did you mean "failing-job"?'],
    [
      'read_scenario',
      { name: 'faling-job' },
      'Did you mean "failing-job"? list_scenarios lists all',
    ],
    ['add_fault', { fault: { fault: 'hangs' } }, 'hang'],
    ['remove_fault', { fault: 'nothing' }, 'there is no fault "nothing": there is none yet'],
    ['advance_clock', { by: 'soon' }, 'soon'],
    ['read_request', { request: 99 }, 'Request not found'],
    ['list_requests', { operation: 'createModell' }, 'Did you mean "createModel"?'],
    ['list_deliveries', { job: 'nothing' }, 'there is no job "nothing": there is none yet'],
    ['read_delivery', { delivery: 'x' }, 'there is no delivery "x": there is none yet'],
    ['explain_signature', { headers: {}, body: '' }, 'Pass either "secret" or "webhook"'],
    ['read_docs', { topic: 'testin' }, 'there is no page "testin". Did you mean "testing"?'],
    [
      'read_docs',
      { topic: 'testing', section: 'nothing like it' },
      'has no section "nothing like it"',
    ],
  ]
  it.each(wrong)('says why it cannot be called: %s %j', async (name, args, reason) => {
    const { tool } = await connectTo('in process')
    const { text, isError } = await tool(name, args)
    expect(isError).toBe(true)
    expect(text).toContain(reason)
    expect(text).not.toContain('/_emulator')
  })

  it.each(tools.map(({ name }) => name))(
    'reads any arguments without a defect: %s',
    async (name) => {
      const { tool } = await connectTo('in process', { options: { scenario: 'failing-job' } })
      const declared = await (await connectTo('in process')).client.listTools()
      const { properties = {} } = declared.tools.find((each) => each.name === name)!.inputSchema
      const keys = [...Object.keys(properties), 'other']
      const values = fc.oneof(
        fc.jsonValue(),
        fc.constantFrom('failing-job', '1h', 'name: mine', 1e9),
      )
      const args = fc.dictionary(fc.constantFrom(...keys), values, { noNullPrototype: true })
      await fc.assert(
        fc.asyncProperty(args, async (given) => {
          const { text } = await tool(name, given)
          expect(text).not.toContain('please report')
          expect(text.length).toBeLessThan(4100)
        }),
        { numRuns: 30 },
      )
    },
  )
})
