import { describe, expect, it } from 'vitest'
import type { ScenarioInput } from '../../../src/index.js'
import { controlled } from './control.js'

describe('the scenario in the control API', () => {
  it('is shown with YAML that omits defaults', async () => {
    const { call } = controlled({ scenario: { name: 'mine', base_models: ['one'], jobs: [] } })
    const { body } = await call('GET /scenario')
    expect(body.scenario).toMatchObject({ name: 'mine', faults: [] })
    expect(body.yaml).toBe('name: mine\nbase_models:\n  - one\n')
  })

  it('can be followed and reset to by its own name', async () => {
    const { call } = controlled({ scenario: { name: 'mine', extends: 'failing-job' } })
    const { body: listed } = await call('GET /scenarios')
    expect(listed.scenarios[0]).toMatchObject({ name: 'mine', built_in: false })
    expect(listed.scenarios[1]).toMatchObject({ built_in: true })
    await call('POST /scenario', { name: 'happy-path' })
    expect((await call('GET /info')).body.scenario).toMatchObject({
      name: 'happy-path',
      built_in: true,
    })
    await call('POST /jobs', {})
    expect((await call('POST /scenario', { name: 'mine' })).body.scenario.name).toBe('mine')
    expect((await call('GET /info')).body.scenario.name).toBe('mine')
    expect((await call('GET /jobs')).body.jobs).toHaveLength(1)
    expect((await call('POST /scenario', { name: 'mine', reset: true })).status).toBe(200)
    expect((await call('GET /jobs')).body.jobs).toEqual([])
    expect((await call('POST /reset', { name: 'mine' })).body.scenario.name).toBe('mine')
  })

  it('that a caller sent as a whole can be chosen again until another one is chosen', async () => {
    const { call } = controlled()
    await call('POST /scenario', { scenario: { name: 'sent', extends: 'failing-job' } })
    expect((await call('POST /scenario', { name: 'sent', reset: true })).status).toBe(200)
    await call('POST /scenario', { name: 'happy-path' })
    expect((await call('POST /scenario', { name: 'sent' })).status).toBe(400)
  })

  it('is shown without the secret headers of its rules, and keeps them when its text is edited', async () => {
    const headers = { authorization: 'Bearer my-secret*', 'x-team': 'red' }
    const rules = [{ match: { headers }, answer: 'Hi.' }]
    const { emulator, call } = controlled({ scenario: { name: 'mine', chat: { rules } } })
    const { body } = await call('GET /scenario')
    expect(JSON.stringify(body)).not.toContain('my-secret')
    expect(JSON.stringify(emulator.snapshot({ secrets: false }))).not.toContain('my-secret')
    const edited = body.yaml.replace('Hi.', 'Ho.')
    expect((await call('POST /scenario', { yaml: edited })).status).toBe(200)
    expect(emulator.scenario.chat.rules).toMatchObject([{ match: { headers }, answer: 'Ho.' }])
  })

  it('is the same at each read, and follows a change', async () => {
    const { emulator, call } = controlled()
    const first = await call('GET /scenario')
    expect(await call('GET /scenario')).toEqual(first)
    emulator.follow('failing-job')
    expect((await call('GET /scenario')).body.yaml).toContain('name: failing-job')
  })

  it.each([
    [{ name: 'failing-jop' }, /Did you mean "failing-job"\?/],
    [{ name: 'mine' }, /^Unknown.*\. GET .* lists all \d+\. No call reads a file: .*"yaml"\.$/],
    [{ scenario: './mine.yaml' }, /^Unknown scenario.*No call reads a file/],
    [{ scenario: { name: 'x', jos: [] } }, /unknown key "jos", did you mean "jobs"|jos/],
    [{}, /^Pass either "name"/],
  ])('stays unchanged after an invalid call: %j', async (body, detail) => {
    const { emulator, call } = controlled()
    const refused = await call('POST /scenario', body)
    expect(refused.status).toBe(400)
    expect(refused.body.detail).toMatch(detail)
    expect(emulator.scenario.name).toBe('happy-path')
  })
})

describe('the control API', () => {
  it('describes its own calls', async () => {
    const { call } = controlled()
    const { body } = await call('GET /openapi.json')
    expect(body.paths['/_emulator/clock/advance'].post).toMatchObject({
      summary: expect.stringContaining('virtual time'),
      security: [{ HTTPBearer: [] }],
    })
    expect(body.paths['/_emulator/clock'].get.security).toBeUndefined()
    expect(Object.keys(body.paths).every((path) => path.startsWith('/_emulator/'))).toBe(true)
    expect(body.components.schemas).toHaveProperty('Job')
    // OpenAPI allows no other names, and generators make types of them.
    const names = Object.keys(body.components.schemas)
    expect(names.filter((name) => !/^[\w.-]+$/.test(name))).toEqual([])
  })

  it('is at the root, with any base path', async () => {
    const { call } = controlled({ basePath: '/api/training' })
    const { body } = await call('GET /info')
    expect(body).toMatchObject({ base_path: '/api/training', control_token_needed: false })
    expect(body.training_url).toMatch(/\/api\/training\/v1$/)
  })

  it('names the nearest call and the allowed methods', async () => {
    const { call } = controlled()
    const unknown = await call('GET /cluck')
    expect(unknown.status).toBe(404)
    expect(unknown.body.detail).toBe('Not found. Nearest: GET /_emulator/clock')
    expect(await call('DELETE /clock')).toMatchObject({
      status: 405,
      body: { detail: 'Not allowed: this path takes GET or POST, not DELETE.' },
    })
    expect((await call('GET /clock/settle')).body.detail).toMatch(/takes POST, not GET\.$/)
  })
})

describe('the text of a scenario', () => {
  it('is checked with places, allowed values and suggestions, and changes nothing', async () => {
    const { emulator, call } = controlled()
    const yaml = 'name: mine\nfaults:\n  - fault: statsu\n    status: 503\njobz: []\n'
    const { status, body } = await call('POST /scenario/check', { yaml })
    expect(status).toBe(200)
    expect(body.scenario).toBeNull()
    expect(body.problems).toEqual([
      {
        place: 'faults[0].fault',
        message: expect.stringMatching(/^"statsu" is not allowed here. Did you mean "status"\?/),
        line: 3,
        column: 12,
        allowed: expect.arrayContaining(['status', 'drop', 'fail_job']),
        nearest: 'status',
      },
      {
        place: 'jobz',
        message: expect.stringMatching(/^unknown key "jobz"/),
        line: 5,
        column: 1,
        allowed: expect.arrayContaining(['jobs']),
        nearest: 'jobs',
      },
    ])
    expect(emulator.scenario.name).toBe('happy-path')
    const valid = await call('POST /scenario/check', { yaml: '{"name": "json"}' })
    expect(valid.body).toMatchObject({
      scenario: { name: 'json', built_in: false },
      problems: [],
    })
  })

  it.each([
    ['', 'it is empty'],
    ['a: [', 'Flow sequence'],
    ['name: x\nextends: ./y.yaml', 'is a file'],
    ['- 1', 'a map of keys and values'],
    ['&a { name: *a }', 'an alias refers to what contains it'],
  ])('that is not a scenario has a problem with its line: %j', async (yaml, message) => {
    const { call } = controlled()
    const { body } = await call('POST /scenario/check', { yaml })
    expect(body.problems[0].message).toContain(message)
    expect(body.problems[0].line).toBeGreaterThan(0)
  })

  it('is applied, also with values that were not shown', async () => {
    const { emulator, call } = controlled({
      scenario: {
        name: 'mine',
        secrets: { signing: 'a-long-secret' },
        auth: { keys: { 'key-of-ada': { user: 'ada' } } },
        webhooks: [{ name: 'w', url: 'http://me:pass@127.0.0.1:9/hook', secret: 'signing' }],
        faults: [{ fault: 'drop', match: { key: 'key-of-ada' }, open: false }],
      },
    })
    const before = emulator.scenario
    const { body } = await call('GET /scenario')
    expect(body.yaml).not.toMatch(/a-long-secret|key-of-ada|pass/)
    const yaml = `${body.yaml}description: changed\n`
    const answer = await call('POST /scenario', { yaml })
    expect(answer).toMatchObject({ status: 200, body: { scenario: { name: 'mine' } } })
    expect(emulator.scenario).toEqual({ ...before, description: 'changed' })
    expect((await call('POST /reset', { yaml })).status).toBe(200)
    const other = await call('POST /scenario/check', {
      yaml: 'name: other\nsecrets: { another: "[not shown]" }',
    })
    expect(other.body).toMatchObject({ scenario: { name: 'other' }, problems: [] })
    expect(other.body.notes).toEqual([
      '[not shown] counts as the value itself at secrets.another. Write yours there.',
    ])
  })

  it('is refused with all problems, and with another scenario beside it', async () => {
    const { call } = controlled()
    const refused = await call('POST /scenario', { yaml: 'name: x\nfaultz: []' })
    expect(refused.status).toBe(400)
    expect(refused.body.detail).toContain('faultz: unknown key "faultz"')
    const both = await call('POST /scenario', { yaml: 'name: x', name: 'happy-path' })
    expect(both.status).toBe(400)
    expect(both.body.detail).toContain('"yaml"')
  })

  it('is there for each scenario by name, and says if it has functions', async () => {
    const { call } = controlled({
      scenario: { name: 'mine', jobs: [{ match: () => true, timeline }] },
    })
    expect((await call('GET /scenario?name=failing-job')).body).toMatchObject({
      scenario: { name: 'failing-job' },
      yaml: expect.stringContaining('CUDA out of memory'),
      has_functions: false,
    })
    expect((await call('GET /scenario')).body.has_functions).toBe(true)
    const unknown = await call('GET /scenario?name=failing-jbo')
    expect(unknown.status).toBe(404)
    expect(unknown.body.detail).toContain('Did you mean "failing-job"?')
  })

  it('has a JSON Schema', async () => {
    const { call } = controlled()
    const { body } = await call('GET /scenario/schema')
    const kinds = body.properties.faults.items.oneOf
    const { operation } = kinds[0].properties.match.properties
    expect(operation.examples).toContain('listTrainingJobEvents')
    expect(
      kinds.map(({ properties }: { properties: { fault: { const: string } } }) => {
        return properties.fault.const
      }),
    ).toContain('fail_job')
  })
})

describe('a fault in the control API', () => {
  it('says since when it is there, how many calls are left, and which requests it answered', async () => {
    const { emulator, call } = controlled()
    emulator.clock.advance('10s')
    const added = await call('POST /faults', {
      fault: 'status',
      status: 503,
      calls: { to: 3, every: 2 },
      during: { to: '1m' },
    })
    expect(added.body).toMatchObject({ hits: 0, calls_left: 2, requests: [] })
    expect(added.body.since).toBe(new Date(emulator.clock.now()).toISOString())
    expect(Date.parse(added.body.ends_at) - Date.parse(added.body.since)).toBe(60_000)
    const url = `${emulator.trainingUrl}/preview/base-models`
    for (let at = 0; at < 2; at++) await emulator.fetch(url)
    const { body } = await call('GET /faults')
    const [request] = emulator.requests.all()
    expect(body.faults[0]).toMatchObject({ hits: 1, calls_left: 1, requests: [request!.id] })
    await emulator.fetch(url)
    expect((await call('GET /faults')).body.faults[0]).toMatchObject({ hits: 2, calls_left: 0 })
  })

  it.each([
    [2, 1],
    [[1, 3, 4], 3],
    [{ from: 2, to: 7, every: 2 }, 3],
    [{ from: 2 }, null],
    [undefined, null],
  ])('counts the calls of %j', async (calls, left) => {
    const { call } = controlled()
    expect((await call('POST /faults', { fault: 'drop', calls })).body.calls_left).toBe(left)
  })
})

const timeline: NonNullable<ScenarioInput['jobs']>[number]['timeline'] = [
  { event: 'training_started' },
  { event: 'training_ended' },
]
