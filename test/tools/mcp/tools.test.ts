import { lineageLines } from '../../../src/emulator/control/evidence-lines.js'
import { createHmac } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEmulator, type EmulatorOptions } from '../../../src/index.js'
import { sign } from '../../../src/webhooks.js'
import { commandTool } from '../../../src/cli/tools/mcp/command-tool.js'
import { shownTool } from '../../../src/tools/mcp/server.js'
import { tools } from '../../../src/tools/mcp/tools.js'
import { schemaOf } from '../../../src/tools/mcp/tool.js'
import { clientOf } from '../../support/api-client.js'
import { startReceiver } from '../../support/receiver.js'
import { submit } from '../../support/trainer.js'
import { question, rolloutsOf, sampleGroup } from '../../support/rollouts.js'
import { connectOverHttp } from './sessions.js'

async function session(options: EmulatorOptions = {}) {
  const emulator = createEmulator({ clock: 'instant', ...options })
  onTestFinished(() => emulator.close())
  return { emulator, ...(await connectOverHttp(emulator, { fetch: emulator.fetch })) }
}

describe('The table of tools', () => {
  it('has names and descriptions that a model reads well', () => {
    for (const { name, description } of tools) {
      expect(name).toMatch(/^[a-z]+(?:_[a-z]+)*$/)
      expect(description).toMatch(/^[A-Z].*\.$/)
      expect(description.length).toBeLessThan(300)
    }
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
  })

  it('weighs at most 16 kB, with the tool of stdio', () => {
    const runs = commandTool({
      environment: {},
      secrets: [],
      stopping: new AbortController().signal,
    })
    expect(JSON.stringify([...tools, runs].map(shownTool)).length).toBeLessThan(16_000)
  })

  it('describes each argument, and refuses all others', () => {
    for (const each of tools) {
      const { properties, additionalProperties } = schemaOf(each) as {
        properties: Record<string, { description?: string }>
        additionalProperties: boolean
      }
      expect(additionalProperties).toBe(false)
      for (const { description } of Object.values(properties)) expect(description).toMatch(/\.$/)
    }
  })

  it('says of each tool whether it changes something', () => {
    for (const { name, annotations } of tools) {
      expect(annotations.readOnlyHint).toBe(/^(?:get|list|read|check|explain)_/.test(name))
    }
    const ends = tools.filter(({ annotations }) => annotations.destructiveHint)
    expect(ends.map(({ name }) => name)).toEqual(['start_scenario', 'end_job', 'remove_fault'])
  })

  it('changes nothing with the tools that only read', async () => {
    const { emulator, tool } = await session({ clock: 'manual', scenario: 'failing-job' })
    await emulator.jobs.start()
    const before = JSON.stringify(await emulator.snapshot())
    const args: Record<string, Record<string, unknown>> = {
      check_scenario: { yaml: 'name: mine' },
      explain_signature: { headers: {}, body: '{}', secret: 's3cret' },
    }
    for (const { name, annotations } of tools) {
      if (annotations.readOnlyHint) await tool(name, args[name])
    }
    expect(JSON.stringify(await emulator.snapshot())).toBe(before)
  })
})

describe('A result', () => {
  it('has pages', async () => {
    const { text } = await session()
    const first = await text('list_scenarios')
    expect(first.length).toBeLessThan(4000)
    expect(first).toMatch(/\nPage 1 of \d\. More: call again with page 2\.$/)
    const second = await text('list_scenarios', { page: 2 })
    expect(second).toContain('Page 2 of')
    expect(second).not.toContain(first.split('\n')[0]!)
  })

  it('has all events of a long job, page by page', async () => {
    const { emulator, text } = await session()
    await text('create_job', { trajectories: 120 })
    const { id, events } = emulator.job()
    expect(events.length).toBeGreaterThan(100)
    const seen = new Set<number>()
    for (let page = 1, last = false; !last; page++) {
      const shown = await text('list_job_events', { job: id.slice(0, 8), page })
      expect(shown.length).toBeLessThan(4000)
      for (const [, index] of shown.matchAll(/^(\d+) 2026/gm)) seen.add(Number(index))
      last = shown.endsWith('This is the last.')
    }
    expect(seen.size).toBe(events.length)
  })

  it.each([
    ['list_requests', /Only the latest 1000 are listed\.\n.*This is the last\.$/],
    ['list_job_events', /^… 1 event before these\n[^]*This is the last\.$/],
  ])('says what %s leaves out', async (name, said) => {
    const { emulator, text } = await session()
    const steps = { event: 'gradient_step', every: '1s', count: 1000 }
    await text('create_job', {
      timeline: [{ event: 'training_started' }, steps, { event: 'never' }],
    })
    await Promise.all(Array.from({ length: 1000 }, () => emulator.fetch(emulator.trainingUrl)))
    const pages = /Page 1 of (\d+)\./.exec(await text(name))?.[1]
    expect(await text(name, { page: Number(pages) })).toMatch(said)
  })

  it('has texts that look as if they were empty', async () => {
    const { emulator, text } = await session()
    await emulator.fetch(`${emulator.trainingUrl}/preview/models`, { method: 'POST', body: '{}' })
    expect(await text('read_request')).toMatch(/^sent_body: \{\}$/m)
  })

  it('never contains a key that the emulator was started with', async () => {
    const { emulator, tool } = await session({ apiKeys: ['sv-private-key-1'] })
    await emulator.fetch(`${emulator.trainingUrl}/preview/base-models`, {
      headers: { authorization: 'Bearer sv-private-key-1' },
    })
    const texts = await Promise.all(tools.map(({ name }) => tool(name)))
    expect(texts.map(({ text }) => text).join('\n')).not.toContain('sv-private-key-1')
    expect(texts[0]!.text).toContain('SVTRAIN_API_KEY=(one of the keys that the emulator accepts)')
  })
})

describe('Tools', () => {
  it('take the newest record without an id, and ids that are cut short', async () => {
    const { emulator, text, tool } = await session({ clock: 'manual' })
    const model = await emulator.models.create()
    const older = await emulator.jobs.start({ model })
    const newer = await emulator.jobs.start({ model })
    await emulator.fetch(`${emulator.trainingUrl}/preview/base-models`)
    expect(await text('read_job')).toContain(`id: ${newer.id}`)
    for (const name of ['read_job', 'list_jobs', 'list_pending']) {
      expect(await text(name)).toContain(`queued behind ${older.id.slice(0, 8)}, which is queued`)
    }
    expect(await text('read_job', { job: older.id.slice(0, 7) })).toContain(`id: ${older.id}`)
    expect(await text('read_trace', { job: older.id.slice(0, 7) })).not.toContain(
      newer.id.slice(0, 8),
    )
    expect(await text('read_request')).toMatch(/^path: .*base-models$/m)
    for (const name of ['read_job', 'read_trace']) {
      expect((await tool(name, { job: '' })).isError).toBe(true)
    }
  })

  it('show only lines with all words of a filter', async () => {
    const { text } = await session()
    const found = await text('list_scenarios', { filter: 'Memory failing' })
    expect(found).toMatch(/^failing-job: .*out of memory\.$/)
    expect(await text('list_scenarios', { filter: 'no such words' })).toMatch(
      /^None of \d+ lines has all of these words: no such words\.$/,
    )
  })

  it('check and start a scenario from a text', async () => {
    const { emulator, text } = await session()
    const wrong = await text('check_scenario', { yaml: 'name: mine\nfaults:\n  - fault: hangs\n' })
    expect(wrong).toMatch(/^line 3, column \d+: faults\[0\]/)
    expect(wrong).toContain('Did you mean "hang"?')
    const yaml =
      'name: mine\ndescription: My own.\njobs:\n  - timeline:\n      - { event: training_failed, error_message: too hot }\n'
    expect(await text('check_scenario', { yaml })).toBe('The scenario is valid.')
    const left = 'name: mine\nsecrets: { signing: "[not shown]" }'
    expect(await text('check_scenario', { yaml: left })).toMatch(
      /^The scenario is valid\.\n\[not shown\] counts as the value itself at secrets\.signing\./,
    )
    await text('start_scenario', { yaml, seed: 3 })
    expect([emulator.scenario.name, emulator.seed]).toEqual(['mine', 3])
    expect(await text('create_job')).toContain('failed: too hot')
    expect(await text('read_scenario')).toContain('too hot')
  })

  it('name a scenario without a description, and say how to start one of a file', async () => {
    const { text, tool } = await session()
    const [yaml, seed] = ['name: mine', 1]
    expect(await text('start_scenario', { yaml, seed })).toBe(
      'Started over with the scenario "mine", seed 1',
    )
    expect(await text('choose_scenario', { yaml })).toBe('The scenario "mine" counts from now on')
    expect(await text('list_scenarios')).toMatch(/^mine\n/)
    expect(await text('get_status')).toMatch(/^scenario: mine$/m)
    for (const name of ['other', './mine.yaml']) {
      expect((await tool('start_scenario', { name })).text).toMatch(
        /^Unknown scenario .* list_scenarios lists all \d+\. No call reads a file: .* "yaml"\.$/,
      )
    }
  })

  it('fail and finish jobs', async () => {
    const { emulator, text, tool } = await session({ clock: 'manual' })
    await text('create_job', { model: 'one' })
    const failed = await text('end_job', { error_message: 'the disk is full' })
    expect(failed).toMatch(/^status: failed$[^]*^error_message: the disk is full$/m)
    await text('create_job', { model: 'two', kind: 'sft' })
    expect(await text('end_job')).toMatch(/^status: ended$/m)
    expect((await tool('end_job')).isError).toBe(true)
    expect(emulator.job({ model: 'one' }).status).toBe('failed')
    expect(await text('list_jobs', { status: 'failed' })).not.toContain('"two"')
  })

  it('add faults, show what they did, and remove them', async () => {
    const { emulator, text } = await session()
    await text('add_fault', { fault: { fault: 'status', status: 503, calls: 1 } })
    const headers = { authorization: `Bearer ${emulator.apiKey}` }
    await emulator.fetch(`${emulator.trainingUrl}/preview/base-models`, { headers })
    expect(await text('list_faults')).toMatch(/^added-1 status.*, 1 hit$/)
    expect(await text('list_requests')).toMatch(/^2 .* GET \/v1\/preview\/base-models 503/)
    expect(await text('list_requests', { status: 404 })).toMatch(/^There are no such requests\./)
    const request = await text('read_request', { request: 2 })
    expect(request).toMatch(/^status: 503$/m)
    expect(request).toMatch(/^faults: .*"fault":"status"/m)
    expect(request).not.toContain(emulator.apiKey)
    expect(await text('remove_fault')).toBe('No fault is left.')
  })

  it('remove the newest fault, and not the first one of the scenario', async () => {
    const faults = [{ fault: 'status', status: 500 } as const]
    const { text } = await session({ scenario: { name: 'own', faults } })
    for (const status of [502, 503]) await text('add_fault', { fault: { fault: 'status', status } })
    await text('remove_fault')
    expect(await text('list_faults')).toMatch(/^scenario-1 .*\nadded-1 .*$/)
  })

  it('move the clock', async () => {
    const { emulator, text } = await session()
    expect(await text('set_clock', { mode: 'manual' })).toMatch(/^mode: manual$/m)
    await emulator.jobs.start()
    const before = emulator.clock.now()
    await text('advance_clock', { by: '1s' })
    expect(emulator.clock.now()).toBe(before + 1000)
    expect(await text('advance_clock')).toMatch(/^happened: true$/m)
    expect(await text('settle')).toMatch(/ran|happened|task/)
    expect(await text('advance_clock')).not.toContain('happened: true')
    expect(await text('get_status')).toMatch(/^clock: manual, .*Z, 0 scheduled tasks$/m)
    await emulator.jobs.start()
    expect(await text('get_status')).toMatch(/^clock: .* scheduled tasks?, the next at 2026-.*Z$/m)
  })

  it('list deliveries, and explain their signatures', async () => {
    const { emulator, text } = await session()
    emulator.createSink()
    await emulator.jobs.start()
    await emulator.settle()
    const [delivery] = emulator.webhooks.deliveries
    const listed = await text('list_deliveries')
    expect(listed).toContain(`${delivery!.id} `)
    expect(await text('list_deliveries', { state: 'delivered' })).toBe(listed)
    expect(await text('list_deliveries', { state: 'failed' })).toMatch(/^There are no such /)
    const shown = await text('read_delivery', { delivery: delivery!.id.slice(0, 8) })
    expect(shown).toContain('"attempt":1')
    expect(shown).toMatch(/^headers: .*"X-Service-Signature":/im)

    const body = '{"event":"x"}'
    const signature = await sign(body, 's3cret-of-mine')
    const headers = { 'X-Service-Signature': signature }
    const right = { headers, body, secret: 's3cret-of-mine' }
    expect(await text('explain_signature', right)).toBe('verdict: valid')
    const wrong = await text('explain_signature', { ...right, body: '{"event": "x"}' })
    expect(wrong).toMatch(/^verdict: invalid\ndiagnosis: .+/)
    expect(wrong).not.toContain('s3cret-of-mine')
  })

  it('send failed deliveries again, all or one', async () => {
    let status = 500
    const { url } = await startReceiver((response) => response.writeHead(status).end())
    const { emulator, text } = await session({ scenario: 'failing-job', webhooks: [url] })
    await emulator.jobs.start()
    await emulator.settle()
    const [first] = emulator.webhooks.deliveries
    expect(await text('resend_deliveries')).toMatch(
      /^Sent again: 0 delivered, 2 not\.\n.*RUN_STATE running.*last answer 500/,
    )
    status = 200
    expect(await text('resend_deliveries', { job: emulator.job().id.slice(0, 8) })).toMatch(
      /^Sent again: 2 delivered, 0 not\.\n/,
    )
    expect(await text('resend_deliveries')).toMatch(/^No such delivery failed\./)
    expect(await text('resend_deliveries', { delivery: first!.id.slice(0, 8) })).toMatch(
      /^Sent again: 1 delivered, 0 not\.\n/,
    )
  })

  it('mend a webhook with the wrong URL and the wrong secret', async () => {
    const { url } = await startReceiver((response, { headers, body }) => {
      const right = createHmac('sha256', 'the-right-one').update(body).digest('hex')
      const isRight = headers['x-service-signature'] === right
      response.writeHead(isRight ? 200 : 401).end(isRight ? 'ok' : '{"detail":"bad signature"}')
    })
    const { emulator, text, tool } = await session()
    expect(await text('list_webhooks')).toMatch(/^There are no webhooks/)
    const closed = 'http://127.0.0.1:65534/hook'
    emulator.webhooks.add({ name: 'mine', url: closed, secret: 'the-wrong-one', timeout: '2s' })
    await emulator.trigger('RUN_STATE', { state: 'failed' })
    await emulator.settle()
    expect(await text('list_webhooks')).toMatch(
      /^mine to \S+:65534\/hook, signed with the secret \w+$/,
    )
    const lost = await text('list_deliveries', { webhook: 'mine' })
    expect(lost).toMatch(/failed, .*: Nothing listens at 127\.0\.0\.1:65534: start the receiver/)
    expect((await tool('list_deliveries', { webhook: 'mein' })).text).toContain('"mine"')

    expect(await text('set_webhook', { webhook: 'mine', url })).toContain(`mine to ${url}, signed`)
    await text('resend_deliveries', { webhook: 'mine' })
    expect(await text('list_deliveries')).toMatch(
      /last answer 401 \{"detail":"bad signature"\}, signature valid: .*the receiver has another secret/,
    )

    const mended = await text('set_webhook', { webhook: 'mine', secret: 'the-right-one' })
    expect(mended).not.toContain('the-right-one')
    expect(await text('resend_deliveries')).toMatch(/^Sent again: 1 delivered, 0 not\./)
    expect(emulator.webhooks.parts.webhooks[0]).toMatchObject({ url, timeout: '2s' })

    emulator.webhooks.add({ webhooks: [{ name: 'plain', url }] })
    const signed = await text('set_webhook', { webhook: 'plain', secret: 'the-right-one' })
    expect(signed).toContain(`plain to ${url}, signed with the secret SECRET_PLAIN`)
    emulator.webhooks.add({ webhooks: [{ name: 'PLAIN', url }] })
    const other = await text('set_webhook', { webhook: 'PLAIN', secret: 'another-one' })
    expect(other).toContain(`PLAIN to ${url}, signed with the secret SECRET_PLAIN_2`)
    expect(emulator.webhooks.parts.secrets).toMatchObject({
      SECRET_PLAIN: 'the-right-one',
      SECRET_PLAIN_2: 'another-one',
    })
    const gone = await startReceiver((response) => response.writeHead(410).end())
    emulator.webhooks.add({ webhooks: [{ name: 'plain', url: gone.url }] })
    await emulator.trigger('RUN_STATE', { state: 'failed', to: 'plain' })
    await emulator.settle()
    expect(await text('list_webhooks')).toMatch(
      /^plain .*, disabled: it answered 410, .* over MCP set_webhook with its URL$/m,
    )
    expect(await text('set_webhook', { webhook: 'plain', url: gone.url })).not.toContain('disabled')

    expect((await tool('set_webhook', { webhook: 'mien', url })).text).toContain('"mine"')
    expect((await tool('set_webhook', { webhook: 'mine' })).text).toContain('"url"')
  })

  it('begin the trace with what failed, on the page with the latest lines', async () => {
    const { emulator, text } = await session({ scenario: 'failing-job' })
    const { get } = clientOf(emulator)
    for (let call = 0; call < 15; call++) await get(`/lost${call}`)
    for (let job = 0; job < 8; job++) await submit(emulator, `model-${job}`)
    await emulator.settle()
    const trace = await text('read_trace')
    expect(trace.length).toBeLessThan(4000)
    expect(trace).toMatch(/^What failed:\n(?: {2}.*\n){10} {2}… and 13 other failures\n/)
    expect(trace).toMatch(/\n {2}.*model-7.* failed: .*\nPage 1 of \d\. Page 1 is the latest\./)
    expect(trace).toMatch(/\n {2}… and 13 other failures\nWhat happened \(scenario .*\):\n {2}/)
    const second = await text('read_trace', { page: 2 })
    expect(second).not.toContain('What failed')
    expect(second).toMatch(/^What happened \(scenario .*\):\n {2}/)
    expect(second.match(/What happened/g)).toHaveLength(1)
    const found = await text('read_trace', { filter: 'out of memory' })
    expect(found.split('\n')[0]).toMatch(/^ +\+/)
  })

  it('say which checkpoint gave the answers that jobs trained on, and find mistakes', async () => {
    const { emulator, text } = await session()
    expect(await text('read_lineage')).toMatch(/^No lineage: /)
    expect(await text('check_client')).toBe('The client checks judged no call: none came.')
    const rollouts = await rolloutsOf(emulator)
    const old = await sampleGroup(rollouts, 'Sing.')
    const first = await rollouts.train(await sampleGroup(rollouts, 'Rhyme.', { size: 1 }))
    const second = await rollouts.train(old)
    await rollouts.ask(question('Dream.'))
    const answers = 'trained on 2 answers of singer step 0 (1 behind)'
    const lines = (await text('read_lineage')).split('\n')
    expect(lines.slice(0, 3)).toEqual([
      `Job ${second} of singer, ended, made step 2, submitted when step 1 was the newest: ${answers}`,
      expect.stringMatching(`^Job ${first} of singer, ended, made step 1, .*: trained on 1 answer`),
      'No job trained on 1 sample:',
    ])
    expect(lines[3]).toMatch(/^ {2}request \d+, of singer step 2: ".+"$/)
    expect(await text('read_lineage', { checkpoint: 'singer:step2' })).toContain(
      `singer step 2: made by job ${second}\nJob ${second} of singer, `,
    )
    const one = await text('read_lineage', { job: second.slice(0, 8) })
    expect(one.split('\n')[1]).toMatch(
      /^ {2}group 0, trajectory 0: reward 0; turn 1 of singer step 0 \(1 behind\), request \d+: ".{20,61}"$/,
    )
    await rollouts.train(old)
    expect(await text('check_client')).toMatch(
      /^Warning: .* \(duplicate_trajectories, requests \d+\)$/m,
    )
    await rollouts.ask(question('Dream on.'))
    expect(lineageLines(emulator.lineage({ limit: 1 })).slice(-3)).toEqual([
      'No job trained on 2 samples:',
      expect.stringContaining('of singer step'),
      '  … and 1 older one',
    ])
  })

  it('search and read the documentation', async () => {
    const { text } = await session()
    expect(await text('read_docs', { query: 'out of memory' })).toMatch(/^\S+ # .+\n {4}\S/)
    expect(await text('read_docs')).toMatch(/^ {2}how-to\/testing: \S/m)
    expect(await text('read_docs', { topic: 'testing' })).toMatch(/^# .*\n[^]*Page 1 of \d+\. More/)
    expect(await text('read_docs', { topic: 'security', section: 'secrets' })).toMatch(
      /^# Where secrets/,
    )
    // Another heading above it, `base_models`, also has this word.
    expect(await text('read_docs', { topic: 'reference/scenario', section: 'models' })).toMatch(
      /^# models\n/,
    )
    const linked = { topic: 'docs/explain/security.md#where-secrets-appear' }
    expect(await text('read_docs', linked)).toMatch(/^# Where secrets appear\n/)
    expect(await text('read_docs', { page: 'how-to/testing' })).toBe(
      await text('read_docs', { topic: 'testing' }),
    )
    const page = await text('read_docs', { topic: 'on-call' })
    expect(page.split('\n').at(-1)).toMatch(/^Tools instead of these calls: .*resend_deliveries/)
    expect(await text('read_docs', { topic: 'start/python' })).not.toContain('Tools instead')
  })
})
