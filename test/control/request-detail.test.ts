import { describe, expect, it } from 'vitest'
import { BASE_MODEL, clientOf } from '../support/api-client.js'
import { submit } from '../support/trainer.js'
import { controlled } from './control.js'

describe('one request in the control API', () => {
  it('shows what was sent, what was answered, and why it was refused', async () => {
    const { emulator, client } = controlled()
    await clientOf(emulator).post('/preview/models', { project: 'verse' })
    const [listed] = await client.requests.list()
    expect(listed).toMatchObject({ status: 422, world: null })
    expect(listed!.detail).toMatch(/^body\.\w+: Field required/)
    const found = await client.requests.get(listed!.id)
    expect(found).toMatchObject(listed!)
    expect(found.request).toMatchObject({ body: '{"project":"verse"}', size: 19, state: 'whole' })
    expect(found.request.headers).toMatchObject({
      authorization: 'Bearer [not shown]',
      'content-type': 'application/json',
    })
    expect(found.response!.headers).toEqual({ 'content-type': 'application/json' })
    expect(JSON.parse(found.response!.body!).detail).toHaveLength(found.problems.length)
    expect(found.problems[0]).toMatchObject({ msg: 'Field required', type: 'missing' })
    expect(found.problems[0]!.loc[0]).toBe('body')
  })

  it('names the fault that answered, the job and what it caused', async () => {
    const { emulator, client } = controlled()
    const job = await submit(emulator)
    await client.faults.add({ fault: 'status', status: 503, name: 'gateway' })
    await clientOf(emulator).get(`/preview/training-jobs/${job}`)
    await client.settle()
    const [creation, poll] = await client.requests.list({ job })
    expect(poll).toBeUndefined()
    const created = await client.requests.get(creation!.id)
    expect(created).toMatchObject({ job_id: job, model: 'poet', faults: [], problems: [] })
    expect(created.caused.length).toBeGreaterThan(2)
    const [refused] = await client.requests.list({ status: 503 })
    const { faults, job_id, model } = await client.requests.get(refused!.id)
    expect(faults).toEqual([{ id: 'added-1', name: 'gateway', fault: 'status' }])
    expect({ job_id, model }).toEqual({ job_id: job, model: 'poet' })
  })

  it('names the chat rule, and has the chunks of a stream', async () => {
    const rules = [
      { match: { user: 'nothing like it' }, answer: 'no' },
      { match: {}, answer: 'Roses are red.' },
    ]
    const { emulator, client } = controlled({ scenario: { name: 'rules', chat: { rules } } })
    const messages = [{ role: 'user', content: 'A poem, please.' }]
    const model = BASE_MODEL
    const { inference } = clientOf(emulator)
    await inference.post('/chat/completions', { model, messages })
    await inference.post('/chat/completions', { model, messages, stream: true })
    const [whole, stream] = await client.requests.list()
    const found = await client.requests.get(whole!.id)
    expect(found).toMatchObject({ chat_rule: 1, model })
    expect(found.response!.body).toContain('Roses are red.')
    const streamed = await client.requests.get(stream!.id)
    expect(streamed.response!.headers['content-type']).toContain('text/event-stream')
    expect(streamed.response!.body).toMatch(/^data: \{[^]*data: \[DONE\]/)
  })

  it('names the parameter that the inference host refused', async () => {
    const { emulator, client } = controlled()
    await clientOf(emulator).inference.post('/chat/completions', { model: 'x', messages: 'none' })
    const [refused] = await client.requests.list()
    const { problems } = await client.requests.get(refused!.id)
    expect(problems).toMatchObject([{ loc: ['body', 'messages'] }])
  })

  it('has what the client checks found', async () => {
    const { emulator, client } = controlled({ clock: 'instant' })
    const job = await submit(emulator)
    await clientOf(emulator).get(`/preview/training-jobs/${job}`)
    await clientOf(emulator).get(`/preview/training-jobs/${job}`)
    const [finding] = await client.clientChecks()
    const last = (await client.requests.list()).at(-1)!
    expect(finding!.requests[0]).toBe(last.id)
    expect((await client.requests.get(last.id)).findings).toEqual([finding])
  })

  it('cuts long bodies, and says so', async () => {
    const { emulator, client } = controlled()
    const name = 'a'.repeat(100_000)
    await clientOf(emulator).post('/preview/models', { name })
    const [listed] = await client.requests.list()
    const { request, response } = await client.requests.get(listed!.id)
    expect(request).toMatchObject({ state: 'cut', size: 100_011 })
    expect(request.body).toHaveLength(65_536)
    expect(response!.body!.length).toBeLessThanOrEqual(65_536)
  })

  it('drops the oldest responses if all of them need too much memory', async () => {
    const { emulator } = controlled()
    const { journal } = emulator
    const received = { method: 'GET', path: '/', query: '', headers: {}, body: new Uint8Array() }
    const body = 'a'.repeat(60_000)
    for (let made = 0; made < 400; made++) {
      const entry = journal.open('training', received)
      journal.respond(entry, { kind: 'response', status: 200, headers: {}, body })
      journal.close(entry, 0)
    }
    const texts = emulator.requests.all().map(({ response }) => response!.text)
    expect(texts[0]).toBeUndefined()
    expect(texts.at(-1)).toBe(body)
    expect(texts.filter((text) => text !== undefined).length).toBeLessThan(300)
  })

  it('is refused if there is none with that id', async () => {
    const { emulator, client, call } = controlled()
    await expect(client.requests.get(1)).rejects.toThrow('the journal has no entry 1. It is empty.')
    await submit(emulator)
    await client.settle()
    const missing = client.requests.get(3)
    await expect(missing).rejects.toThrow('entry 3 is a job')
    expect((await call('GET /requests/none')).body.detail).toMatch(
      /^Request not found: .* no entry none/,
    )
  })
})
