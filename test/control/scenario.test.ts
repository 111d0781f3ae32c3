import { describe, expect, it } from 'vitest'
import { controlled } from './control.js'

describe('the scenario in the control API', () => {
  it('is shown with YAML that omits defaults', async () => {
    const { call } = controlled({ scenario: { name: 'mine', base_models: ['one'], jobs: [] } })
    const { body } = await call('GET /scenario')
    expect(body.scenario).toMatchObject({ name: 'mine', faults: [] })
    expect(body.yaml).toBe('name: mine\nbase_models:\n  - one\n')
  })

  it('applies to new jobs, and running jobs continue', async () => {
    const { emulator, call } = controlled()
    const { body: first } = await call('POST /jobs', { model: 'poet' })
    const chosen = await call('POST /scenario', { name: 'failing-job' })
    expect(chosen.body.scenario.name).toBe('failing-job')
    const { body: second } = await call('POST /jobs', { model: 'painter' })
    emulator.clock.advance('1h')
    expect((await call(`GET /jobs/${first.id}`)).body.status).toBe('ended')
    expect((await call(`GET /jobs/${second.id}`)).body.status).toBe('failed')
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
    expect((await call('POST /scenario', { name: 'mine' })).status).toBe(200)
    expect((await call('GET /info')).body.scenario.name).toBe('mine')
    await call('POST /jobs', {})
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

  it('is the same at each read, and follows a change', async () => {
    const { emulator, call } = controlled()
    const first = await call('GET /scenario')
    expect(await call('GET /scenario')).toEqual(first)
    emulator.follow('failing-job')
    expect((await call('GET /scenario')).body.yaml).toContain('name: failing-job')
  })

  it('starts in a new world if the call asks for it', async () => {
    const { call } = controlled()
    await call('POST /jobs', {})
    await call('POST /scenario', { scenario: { name: 'mine', extends: 'sft' }, reset: true })
    expect((await call('GET /jobs')).body.jobs).toEqual([])
    expect((await call('GET /info')).body.scenario.name).toBe('mine')
  })

  it.each([
    [{ name: 'failing-jop' }, /Did you mean "failing-job"\?/],
    [{ name: './mine.yaml' }, /^Unknown scenario/],
    [{ scenario: { name: 'x', jos: [] } }, /unknown key "jos", did you mean "jobs"|jos/],
    [
      { scenario: { name: 'x', extends: './mine.yaml' } },
      /is a file, which only a file can extend/,
    ],
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
  it('adds no journal entry, has no faults, and needs no key', async () => {
    const { emulator, call } = controlled({
      scenario: {
        name: 'closed',
        auth: { keys: { only: { user: 'u', entity: 'e' } } },
        faults: [{ fault: 'status', status: 500 }],
      },
    })
    expect((await call('GET /clock')).status).toBe(200)
    expect((await call('POST /jobs', {})).status).toBe(200)
    expect(emulator.journal.entries.filter(({ kind }) => kind === 'request')).toEqual([])
  })

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
    expect((await call('DELETE /clock')).status).toBe(405)
  })
})
