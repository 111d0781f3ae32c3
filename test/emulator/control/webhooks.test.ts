import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Client } from '../../../src/client.js'
import { controlled } from './control.js'
import { createWebhookSink } from '../../../src/index.js'
import { problemsOf } from '../../../src/emulator/testing/problems.js'
import { startReceiver } from '../../support/receiver.js'

const aliasAdded = {
  name: 'promoted',
  webhook: 'deploy',
  event: 'ADD_ARTIFACT_ALIAS',
  payload: { alias: '${alias}' },
} as const

/** Triggers an event that one automation sends. Returns its delivery, once it is over. */
async function triggered(client: Client, ...event: Parameters<Client['trigger']>) {
  const [id] = await client.trigger(...event)
  await client.settle()
  return client.deliveries.get(id!)
}

describe('webhooks in the control API', () => {
  it('are added with their secret and automations, called, and removed', async () => {
    const { client } = controlled()
    const receiver = await startReceiver()
    await client.secrets.set('DEPLOY', 'between us')
    expect(await client.trace()).toContain('control: secret DEPLOY is set')
    await client.webhooks.add({ name: 'deploy', url: receiver.url, secret: 'DEPLOY' })
    await client.automations.add(aliasAdded)
    const delivery = await triggered(client, 'add_artifact_alias', { alias: 'production' })
    expect(receiver.bodies()).toEqual([{ alias: 'production' }])
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]]
    const signature = createHmac('sha256', 'between us').update(body).digest('hex')
    expect(headers['x-service-signature']).toBe(signature)
    expect(delivery).toMatchObject({
      automation: 'promoted',
      webhook: 'deploy',
      event: 'ADD_ARTIFACT_ALIAS',
      text: 'ADD_ARTIFACT_ALIAS production · my-model',
      state: 'delivered',
      created_at: '2026-01-01T00:00:00.000Z',
      job_id: null,
      attempts: [{ attempt: 1, status: 200, error: null, response_excerpt: 'ok' }],
      body: '{"alias":"production"}',
      headers: { 'X-Service-Signature': signature },
      verdict: 'valid',
      diagnosis: null,
    })
    await client.automations.remove('promoted')
    expect(await client.trigger('ADD_ARTIFACT_ALIAS', { alias: 'production' })).toEqual([])
    expect(await client.webhooks.list()).toMatchObject([{ name: 'deploy', disabled: null }])
    await client.webhooks.remove('deploy')
    expect(await client.webhooks.list()).toEqual([])
    await client.secrets.remove('DEPLOY')
    expect(await client.secrets.list()).toEqual([])
  })

  it('keep what is not named if one is added again, and null is the default', async () => {
    const { client, emulator } = controlled()
    const receiver = await startReceiver()
    await client.secrets.set('DEPLOY', 'between us')
    const deploy = { secret: 'DEPLOY', retries: ['1s'], timeout: '2s' }
    await client.webhooks.add({ name: 'deploy', url: 'http://127.0.0.1:9/', ...deploy })
    await client.webhooks.add({ name: 'deploy', url: receiver.url })
    expect(await client.webhooks.list()).toMatchObject([{ url: receiver.url, ...deploy }])
    await client.webhooks.add({ name: 'deploy', secret: null, retries: null })
    const [webhook] = await client.webhooks.list()
    expect(webhook).toMatchObject({ url: receiver.url, timeout: '2s', retries: [] })
    expect(webhook).not.toHaveProperty('secret')
    const own = { url: receiver.url, secret: 'my own', access_token: 'a token', timeout: '3s' }
    emulator.webhooks.add({ ...own, name: 'mine' })
    const moved = await startReceiver()
    emulator.webhooks.add({ name: 'mine', url: moved.url })
    await client.trigger('RUN_STATE', { state: 'failed', to: 'mine' })
    await client.settle()
    const [{ headers, body }] = moved.received as [(typeof moved.received)[0]]
    const signature = createHmac('sha256', 'my own').update(body).digest('hex')
    expect(headers['x-service-signature']).toBe(signature)
    expect(headers['authorization']).toBe('Bearer a token')
    expect(emulator.webhooks.parts.webhooks.at(-1)).toMatchObject({ timeout: '3s' })
  })

  it('are removed separately from automations with the same name', async () => {
    const { client } = controlled()
    await client.webhooks.add({ name: 'both', url: 'http://127.0.0.1:9/' })
    await client.automations.add({ ...aliasAdded, name: 'both', webhook: 'both' })
    await client.automations.add({ ...aliasAdded, webhook: 'both' })
    await client.automations.remove('both')
    expect(await client.webhooks.list()).toHaveLength(1)
    expect(await client.automations.list()).toMatchObject([{ name: 'promoted' }])
    await client.webhooks.remove('both')
    expect([await client.webhooks.list(), await client.automations.list()]).toEqual([[], []])
  })

  it('show no part of a secret that the end of a long answer cuts', async () => {
    const { client } = controlled()
    const said = `${'x'.repeat(985)} between us and them`
    const receiver = await startReceiver((response) => response.writeHead(500).end(said))
    await client.secrets.set('DEPLOY', 'between us and nobody')
    await client.webhooks.add({ name: 'deploy', url: receiver.url, secret: 'DEPLOY' })
    await client.automations.add(aliasAdded)
    const { response_excerpt: tested } = await client.webhooks.test('deploy', {})
    const { attempts } = await triggered(client, 'ADD_ARTIFACT_ALIAS')
    for (const shown of [tested, attempts[0]!.response_excerpt]) {
      expect(shown).toBe(`${'x'.repeat(985)} `)
    }
  })

  it('are tested and enabled again', async () => {
    const { client } = controlled()
    let status = 410
    const receiver = await startReceiver((response) => response.writeHead(status).end('hm'))
    await client.webhooks.add({ name: 'deploy', url: receiver.url })
    await client.automations.add(aliasAdded)
    expect(await client.webhooks.test('deploy', { hello: 'you' })).toMatchObject({
      status: 410,
      error: 'answered 410',
      response_excerpt: 'hm',
    })
    expect(receiver.bodies()).toEqual([{ hello: 'you' }])
    await client.trigger('ADD_ARTIFACT_ALIAS')
    await client.settle()
    expect((await client.webhooks.list())[0]?.disabled).toContain('410')
    status = 200
    await client.webhooks.enable('deploy')
    expect(await triggered(client, 'ADD_ARTIFACT_ALIAS')).toMatchObject({ state: 'delivered' })
  })

  it('are refused with a reason if they are invalid', async () => {
    const { client } = controlled()
    const refused = (call: Promise<unknown>, status: number, message: string) => {
      return expect(call).rejects.toMatchObject({
        status,
        message: expect.stringContaining(message) as string,
      })
    }
    await client.webhooks.add({ name: 'deploy', url: 'http://127.0.0.1:9/' })
    await refused(client.webhooks.add({ name: 'x', url: 'ftp://x' }), 400, 'begins with http://')
    await refused(client.automations.add({ ...aliasAdded, webhook: 'deplo' }), 400, '"deploy"')
    await refused(client.webhooks.remove('deplo'), 404, 'Did you mean "deploy"?')
    await refused(client.webhooks.test('deplo'), 404, 'Did you mean "deploy"?')
    await refused(client.automations.remove('deploy'), 404, 'no automation named "deploy"')
    await refused(client.secrets.remove('X'), 404, 'no secret named "X"')
    await refused(client.secrets.set('not a name', 'x'), 400, 'not a name')
    await refused(client.trigger('RUN_STAT'), 400, 'Did you mean RUN_STATE?')
    // @ts-expect-error: no such fact
    await refused(client.trigger('RUN_STATE', { stat: 'failed' }), 400, 'Did you mean "state"?')
    await refused(client.trigger('RUN_STATE', { job_id: 'x' }), 404, 'no job')
    await refused(
      client.trigger('RUN_STATE', { alias: 'x' }),
      400,
      'alias" is no fact of RUN_STATE',
    )
    await refused(client.deliveries.get('x'), 404, 'there is none yet')
    await refused(client.deliveries.resend('x'), 404, 'there is none yet')
  })
})

describe('deliveries in the control API', () => {
  it('say in words what each is about, whatever its body says', async () => {
    const receiver = await startReceiver()
    const { client } = controlled({ scenario: 'failing-job', webhooks: [receiver.url] })
    await client.jobs.create({ model: 'poet' })
    await client.jobs.create({ model: 'poet' })
    await client.settle()
    await client.trigger('CREATE_ARTIFACT', { collection: 'poet', version: 3, to: 'receiver' })
    await client.trigger('RUN_METRIC', { run: 'by hand', to: 'receiver' })
    const texts = (await client.deliveries.list()).map(({ text }) => text)
    expect(texts).toEqual([
      'RUN_STATE running · poet #1',
      'RUN_STATE failed · poet #1',
      'RUN_STATE running · poet #2',
      'RUN_STATE failed · poet #2',
      'CREATE_ARTIFACT · poet:v3',
      'RUN_METRIC finished · by hand',
    ])
  })

  it('are not in the trace if they were refused', async () => {
    const { client, emulator } = controlled()
    await expect(client.trigger('RUN_STATE', { to: 'nobody' })).rejects.toThrow('"nobody"')
    expect(emulator.journal.entries).toEqual([])
  })

  it('come to one sink, which shows no secret, also if two calls open it', async () => {
    const secret = 'a-secret-of-the-team'
    const { client, emulator } = controlled({
      scenario: { name: 'own', secrets: { team: secret } },
    })
    await Promise.all([client.sink.open(), client.sink.open()])
    const { sink, receivers } = emulator
    expect(receivers).toHaveLength(1)
    emulator.webhooks.add({ webhooks: [{ name: 'mine', url: `${sink!.url}/${secret}` }] })
    const calls = Array.from({ length: 20 }, () => client.trigger('RUN_STATE', { to: 'mine' }))
    await Promise.all(calls)
    const records = await client.sink.records({ wait: true })
    expect(records).toHaveLength(20)
    const [record] = records
    expect(JSON.stringify(record)).not.toContain(secret)
    expect(record!.path).toMatch(/^\/.+/)
    expect(JSON.stringify(await client.webhooks.list())).not.toContain(secret)
  })

  it('are filtered by job, webhook, event and state, and sent again', async () => {
    const receiver = await startReceiver()
    const { client } = controlled({ scenario: 'failing-job', webhooks: [receiver.url] })
    const job = await client.jobs.create({ model: 'poet' })
    const other = await client.jobs.create({ model: 'painter' })
    await client.settle()
    const ofJob = await client.deliveries.list({ job: job.id })
    expect(ofJob).toMatchObject([{ job_id: job.id }, { job_id: job.id }])
    expect(ofJob.map(({ body }) => JSON.parse(body).run_state)).toEqual(['running', 'failed'])
    expect(await client.deliveries.list({ event: 'run_state', webhook: 'receiver' })).toHaveLength(
      4,
    )
    expect(await client.deliveries.list({ limit: 1 })).toMatchObject([{ job_id: other.id }])
    expect(await client.deliveries.list({ state: 'failed' })).toEqual([])
    const again = await client.deliveries.resend(ofJob[1]!.id)
    expect(again.attempts.map(({ attempt }) => attempt)).toEqual([1, 2])
    expect(receiver.received.at(-1)!.body.toString()).toBe(ofJob[1]!.body)
    const facts = { job_id: job.id, to: 'receiver' }
    const sent = await triggered(client, 'RUN_STATE', facts)
    expect(sent.body).toContain('"run_state":"failed"')
    expect(sent.job_id).toBe(job.id)
    expect((await triggered(client, 'LINK_ARTIFACT', facts)).body).toContain('"poet"')
    const ids = (await client.deliveries.list({ job: job.id })).map(({ id }) => id)
    expect(ids).toContain(sent.id)
    expect(await client.trace({ job: job.id })).toMatch(
      /control: RUN_STATE triggered for job \w+\n.*→ RUN_STATE failed to receiver: 200/,
    )
    expect(await client.trace()).toContain(`control: delivery ${ofJob[1]!.id} is sent once more\n`)
  })

  it('that failed are sent again with one call, all or some of them', async () => {
    let status = 500
    const { url } = await startReceiver((response) => response.writeHead(status).end())
    const { client } = controlled({ scenario: 'failing-job' })
    for (const webhook of ['deploy', 'audit']) {
      await client.webhooks.add({ name: webhook, url, retries: [] })
      await client.automations.add({ name: `to ${webhook}`, event: 'RUN_STATE', webhook })
    }
    const job = await client.jobs.create({ model: 'poet' })
    await client.settle()
    expect(await client.deliveries.list({ state: 'failed' })).toHaveLength(4)
    const ofOne = await client.deliveries.resendFailed({ webhook: 'audit' })
    expect(ofOne).toMatchObject([
      { webhook: 'audit', state: 'failed', attempts: [{}, { status: 500 }] },
      { webhook: 'audit', state: 'failed', attempts: [{}, { status: 500 }] },
    ])
    status = 200
    const all = await client.deliveries.resendFailed({ job: job.id.slice(0, 8) })
    expect(all.map(({ state }) => state)).toEqual(Array(4).fill('delivered'))
    // The oldest of a webhook comes first.
    const audited = all.filter(({ webhook }) => webhook === 'audit')
    expect(audited.map(({ text }) => text)).toEqual(ofOne.map(({ text }) => text))
    expect(await client.trace()).toContain('control: 4 deliveries are sent once more\n')
    expect(await client.deliveries.resendFailed()).toEqual([])
    const [delivered] = await client.deliveries.resendFailed({ delivery: all[0]!.id.slice(0, 8) })
    expect(delivered!.attempts).toHaveLength(all[0]!.attempts.length + 1)
    await expect(client.deliveries.resendFailed({ webhook: 'deplo' })).rejects.toThrow('"deploy"')
    await expect(client.deliveries.resendFailed({ delivery: 'x' })).rejects.toThrow('no delivery')
  })

  it('of a removed webhook are refused, and the others are sent again all the same', async () => {
    let status = 500
    const { url } = await startReceiver((response) => response.writeHead(status).end())
    const { client } = controlled()
    for (const name of ['gone', 'mine']) {
      await client.webhooks.add({ name, url, retries: [] })
      await client.trigger('RUN_STATE', { state: 'failed', to: name })
    }
    await client.settle()
    status = 200
    await client.webhooks.remove('gone')
    await expect(client.deliveries.resendFailed()).rejects.toThrow('"gone"')
    expect((await client.deliveries.list()).map(({ state }) => state)).toEqual([
      'failed',
      'delivered',
    ])
  })

  it('show why their signature is wrong', async () => {
    const receiver = await startReceiver()
    const { client } = controlled()
    await client.secrets.set('OLD', 'the one before')
    await client.secrets.set('DEPLOY', 'between us')
    const adversary = [{ do: 'old_secret', secret: 'OLD' }] as const
    const hook = { name: 'deploy', url: receiver.url, secret: 'DEPLOY' }
    await client.webhooks.add({ ...hook, adversary: [...adversary] })
    await client.automations.add(aliasAdded)
    const { verdict, diagnosis } = await triggered(client, 'ADD_ARTIFACT_ALIAS')
    expect(verdict).toBe('invalid')
    expect(diagnosis).toContain('secret "OLD"')
    const onPurpose = 'The scenario did that on purpose: old_secret.'
    expect(diagnosis!.endsWith(` ${onPurpose}`)).toBe(true)
    expect(await client.deliveries.list()).toMatchObject([
      { verdict: 'invalid', diagnosis: onPurpose },
    ])
  })

  it('say why an attempt failed', async () => {
    const { url } = await startReceiver((response) => response.writeHead(400).end())
    const { client, emulator } = controlled()
    emulator.webhooks.add({ url, retries: [] })
    const { diagnosis } = await triggered(client, 'RUN_STATE', { state: 'failed' })
    expect(diagnosis).toBe(
      'The receiver refuses the signature or the body (400): look at its answer.',
    )
    expect(await client.deliveries.list()).toMatchObject([{ url, diagnosis }])
    // The trace says so, too, where it lists what failed.
    expect(problemsOf(emulator)[0]!.text).toContain(` after 1 attempt. ${diagnosis!}`)
  })

  it('blame no receiver for what the scenario did, and neither does the trace', async () => {
    let status = 401
    const { url } = await startReceiver((response) => response.writeHead(status).end())
    const { client, emulator } = controlled()
    const spoilt = ['wrong_secret', 'altered_body', 'truncated_body', 'missing_signature'] as const
    const adversary = spoilt.map((does, index) => ({ do: does, deliveries: [index + 1] }))
    emulator.webhooks.add({ url, secret: 'between us', retries: [], adversary })
    for (const _each of spoilt) await triggered(client, 'RUN_STATE', { state: 'failed' })
    await triggered(client, 'RUN_STATE', { state: 'failed' })
    status = 500
    emulator.webhooks.add({ url, retries: [], adversary: [{ do: 'truncated_body' }] })
    await triggered(client, 'RUN_STATE', { state: 'failed' })
    emulator.webhooks.add({
      url,
      secret: 'x',
      retries: [],
      adversary: [{ do: 'down', status: 401 }],
    })
    const { diagnosis: unsent } = await triggered(client, 'RUN_STATE', { state: 'failed' })
    expect(unsent).toBe('Nothing was sent: the scenario has the receiver down.')
    expect(problemsOf(emulator).at(-1)!.text).toBe(`RUN_STATE to receiver: ${unsent!}`)
    const told = (await client.deliveries.list()).map(({ diagnosis }) => diagnosis)
    expect(told).toEqual([
      ...spoilt.map((does) => `The scenario did that on purpose: ${does}.`),
      expect.stringMatching(
        /^It was signed with the secret of its webhook: .* check-receiver tells/,
      ),
      'The receiver failed (500): look at its log. The scenario did that on purpose: truncated_body.',
      unsent,
    ])
    const traced = problemsOf(emulator).map(({ text }) =>
      text.split(/ after 1 attempt\. |receiver: /).at(-1),
    )
    expect(traced).toEqual(told)
    for (const each of told) expect(emulator.trace()).toContain(` ${each!}\n`)
  })

  it('have the URL of their latest attempt, also in a snapshot', async () => {
    const { url } = await startReceiver()
    const { client, emulator } = controlled()
    const closed = 'http://127.0.0.1:65534/hook'
    emulator.webhooks.add({ name: 'mine', url: closed, retries: [] })
    const { id, url: first } = await triggered(client, 'RUN_STATE', { state: 'failed' })
    expect(first).toBe(closed)
    emulator.webhooks.add({ name: 'mine', url, retries: [] })
    await client.deliveries.resend(id)
    const after = { url, state: 'delivered', diagnosis: null }
    expect(await client.deliveries.get(id)).toMatchObject(after)
    emulator.restore(await emulator.snapshot())
    expect(await client.deliveries.get(id)).toMatchObject(after)
  })

  it.each([401, 403])('say that it is right if the receiver answers %i', async (status) => {
    const { emulator, client } = controlled()
    emulator.createSink().answer({ status })
    expect(await triggered(client, 'RUN_STATE', { state: 'failed' })).toMatchObject({
      verdict: 'valid',
      diagnosis: expect.stringContaining('the receiver has another secret'),
    })
  })

  it('say that their secret ends with a line end if the receiver refuses them', async () => {
    const { client } = controlled()
    const { url } = await startReceiver((response) => response.writeHead(401).end())
    await client.secrets.set('DEPLOY', 'between us\n')
    await client.webhooks.add({ name: 'deploy', url, secret: 'DEPLOY' })
    await client.automations.add(aliasAdded)
    expect(await triggered(client, 'add_artifact_alias', { alias: 'production' })).toMatchObject({
      diagnosis: expect.stringContaining('its webhook, which has white space at an end'),
    })
  })
})

describe('the sink records of the control API', () => {
  it('exist if the emulator has a sink', async () => {
    const { emulator, client } = controlled()
    await expect(client.sink.records()).rejects.toMatchObject({ status: 404 })
    const sink = createWebhookSink({ secrets: 'between us' })
    emulator.attach(sink)
    const headers = { 'X-Service-Signature': 'x', Authorization: 'Bearer a-token' }
    await sink.fetch(`${sink.url}/hook`, { method: 'POST', headers, body: '{"a": 1}' })
    const [record] = await client.sink.records()
    expect(record).toMatchObject({
      id: '1',
      method: 'POST',
      path: '/hook',
      headers: { authorization: 'Bearer [not shown]' },
      body: '{"a": 1}',
      body_base64: Buffer.from('{"a": 1}').toString('base64'),
      verdict: 'invalid',
      delivery_id: null,
      duplicate_of: null,
      same_bytes_as: null,
    })
    await sink.fetch(`${sink.url}/hook`, { method: 'POST', headers, body: '{"a": 1}' })
    const [, again] = await client.sink.records()
    expect(again).toMatchObject({ duplicate_of: null, same_bytes_as: '1' })
    expect(record!.diagnosis).toMatch(/\w/)
  })

  it('name the delivery that they came from, the same for each attempt', async () => {
    const { emulator, client } = controlled({
      scenario: {
        name: 'retried',
        webhooks: [{ name: 'hook', retries: ['10s'] }],
        automations: [{ name: 'states', webhook: 'hook', event: 'RUN_STATE' }],
      },
    })
    const sink = emulator.createSink()
    sink.answer({ status: 500, times: 1 })
    const { id, attempts } = await triggered(client, 'RUN_STATE', { state: 'failed' })
    await sink.fetch(`${sink.url}/hook`, { method: 'POST', body: '{}' })
    const records = await client.sink.records()
    expect(records.map((record) => record.delivery_id)).toEqual([id, id, null])
    expect(sink.deliveries.map(({ deliveryId }) => deliveryId)).toEqual([id, id, undefined])
    // From the record to the delivery, and to the entries of both.
    expect(attempts).toHaveLength(2)
    const { entries } = await client.timeline()
    const receipts = entries.filter(({ record_id }) => record_id !== null)
    expect(receipts.map(({ record_id }) => record_id)).toEqual(records.map((record) => record.id))
  })
})
