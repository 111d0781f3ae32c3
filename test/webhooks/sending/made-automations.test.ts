import { describe, expect, it } from 'vitest'
import type { Emulator } from '../../../src/index.js'
import { openEmulator } from '../../emulator/open-emulator.js'
import { graphql, basic, type GraphqlAnswer } from '../../support/graphql.js'
import { openRun, streamRun } from '../../support/platform-client.js'
import { SECRET, startReceiver, type Receiver } from '../../support/receiver.js'
import { submit } from '../../support/trainer.js'

/** Automations that programs make with GraphQL. test/interop/automations.test.ts makes them with the SDK. */

const keys = {
  ann: { user: 'ann', entity: 'local-team' },
  eve: { user: 'eve', entity: 'other-team' },
}

function emulatorWith({ url }: Pick<Receiver, 'url'>): Emulator {
  return openEmulator({
    scenario: {
      name: 'integrations',
      auth: { keys, separateEntities: true },
      secrets: { SECRET },
      webhooks: [{ name: 'hook', url, secret: 'SECRET', entity: 'local-team' }],
    },
  })
}

function call(emulator: Emulator, query: string, input?: object, key = 'ann') {
  const headers = { authorization: basic(key) }
  return graphql({ emulator, fetch: emulator.fetch }, query, { input }, headers)
}

const CREATE = `mutation ($input: CreateFilterTriggerInput!) {
  createFilterTrigger(input: $input) { trigger { id } } }`
const LIST = `{ entity(name: "local-team") {
  integrations { edges { node { id __typename } } }
  triggers(filters: "{}") { edges { node {
    id name scope { ... on Project { name } }
    triggeringCondition { ... on FilterEventTriggeringCondition { eventType filter } }
    triggeredAction { __typename ... on QueueJobTriggeredAction { queue { id } template } } } } } } }`

/** What a program says about an automation of the project, with the webhook of the scenario. */
async function factsIn(emulator: Emulator) {
  const caller = { emulator, fetch: emulator.fetch }
  await openRun(caller, { name: 'poem', key: 'ann' })
  const { data } = await call(
    emulator,
    `{ project(name: "verse", entityName: "local-team") { id } entity(name: "local-team") { integrations { edges { node { id } } } } }`,
  )
  const integrationID = data.entity.integrations.edges[0].node.id as string
  return {
    name: 'made',
    enabled: true,
    scopeType: 'PROJECT',
    scopeID: data.project.id as string,
    triggeringEventType: 'RUN_STATE',
    eventFilter: '{"run_filter":"{}","run_state_filter":{"states":["FINISHED","FAILED"]}}',
    triggeredActionType: 'GENERIC_WEBHOOK',
    triggeredActionConfig: {
      genericWebhookActionInput: { integrationID, requestPayload: '{"run":"${run_name}"}' },
    },
  }
}

const messageOf = ({ status, errors }: GraphqlAnswer) => `${status} ${errors?.[0]?.message}`
const metric = (filter: object) => ({
  triggeringEventType: 'RUN_METRIC_ZSCORE',
  eventFilter: JSON.stringify({ run_metric_filter: { zscore_filter: filter } }),
})

describe('an automation that a program makes', () => {
  it.each([
    [{ scopeID: 'nothing' }, '404 There is no PROJECT with the id "nothing" to watch.'],
    [{ name: '' }, '400 The name of the automation is ""; expected 1 to 255 characters.'],
    [{ eventFilter: '[]' }, '400 The eventFilter is "[]"; expected a JSON object as text'],
    [
      { eventFilter: String.raw`{"run_filter":"{\"display_name\":{\"$near\":1}}"}` },
      '400 The filter has the operator "$near".',
    ],
    [
      // No run has that state, so nothing would ask for the list.
      {
        eventFilter: String.raw`{"run_filter":"{\"state\":\"none\",\"display_name\":{\"$in\":5}}"}`,
      },
      '400 The operand of $in is not a list.',
    ],
    [
      { eventFilter: '{"run_state_filter":{"states":["KILLED"]}}' },
      '400 A state is "KILLED"; expected one of RUNNING, FINISHED, FAILED.',
    ],
    [
      metric({ name: 'loss', window_size: 0, threshold: 3, change_dir: 'ANY' }),
      '400 eventFilter.run_metric_filter.zscore_filter.window_size is 0; expected a whole number',
    ],
    [{ triggeredActionConfig: {} }, '400 An action of the type GENERIC_WEBHOOK needs generic'],
    [
      { triggeredActionConfig: { genericWebhookActionInput: { integrationID: 'no' } } },
      '404 There is no webhook integration with the id "no". The webhooks of "local-team" are: hook.',
    ],
  ])('is refused with a status that clients understand: %j', async (change, message) => {
    const emulator = emulatorWith({ url: 'http://receiver.test/' })
    const facts = await factsIn(emulator)
    const answer = await call(emulator, CREATE, { ...facts, ...change })
    expect(messageOf(answer)).toContain(message)
    expect((await call(emulator, LIST)).data.entity.triggers.edges).toEqual([])
  })

  it('is refused if its name is taken, also by one of the scenario, and hidden from other teams', async () => {
    const emulator = emulatorWith({ url: 'http://receiver.test/' })
    const facts = await factsIn(emulator)
    emulator.webhooks.add({ automations: [{ name: 'own', webhook: 'hook', event: 'RUN_STATE' }] })
    const { data } = await call(emulator, CREATE, facts)
    const { id } = data.createFilterTrigger.trigger
    for (const name of ['made', 'own']) {
      const taken = await call(emulator, CREATE, { ...facts, name })
      expect(messageOf(taken)).toBe(`409 There is an automation "${name}" already.`)
    }
    const remove = `mutation { deleteTrigger(input: { triggerID: "${id}" }) { success } }`
    expect(messageOf(await call(emulator, remove, {}, 'eve'))).toContain('404')
    expect(messageOf(await call(emulator, CREATE, { ...facts, name: 'spy' }, 'eve'))).toContain(
      '404',
    )
    const ofOther =
      '{ entity(name: "other-team") { integrations { edges { node { __typename } } } } }'
    const { edges } = (await call(emulator, ofOther, {}, 'eve')).data.entity.integrations
    expect(edges).toEqual([{ node: { __typename: 'SlackIntegration' } }])
    expect((await call(emulator, remove)).data.deleteTrigger).toEqual({ success: true })
    expect((await call(emulator, LIST)).data.entity.triggers.edges).toEqual([])
  })

  it('watches runs in all places but a collection, which has none, also after a change', async () => {
    const emulator = emulatorWith({ url: 'http://receiver.test/' })
    const facts = await factsIn(emulator)
    await emulator.artifacts.put({ project: 'verse', name: 'rows', files: { a: '1' } })
    const { data } = await call(
      emulator,
      '{ project(name: "verse", entityName: "local-team") { artifactCollection(name: "rows") { id } } }',
    )
    const scope = { scopeType: 'ARTIFACT_COLLECTION', scopeID: data.project.artifactCollection.id }
    const refusal = '400 RUN_STATE cannot be watched in a collection, which has no runs.'
    expect(messageOf(await call(emulator, CREATE, { ...facts, ...scope }))).toContain(refusal)
    const { id } = (await call(emulator, CREATE, facts)).data.createFilterTrigger.trigger
    const update = `mutation ($input: UpdateFilterTriggerInput!) {
      updateFilterTrigger(input: $input) { trigger { id } } }`
    expect(messageOf(await call(emulator, update, { id, ...scope }))).toContain(refusal)
    const { edges } = (await call(emulator, LIST)).data.entity.triggers
    expect(edges).toMatchObject([{ node: { scope: { name: 'verse' } } }])
  })

  it('is in snapshots and in lists, fires after a restart, and not for a run that is killed', async () => {
    const receiver = await startReceiver()
    const emulator = emulatorWith(receiver)
    await call(emulator, CREATE, await factsIn(emulator))
    expect(emulator.webhooks.parts.automations).toMatchObject([
      { name: 'made', webhook: 'hook', scope: { entity: 'local-team', project: 'verse' } },
    ])
    const next = openEmulator({ snapshot: await emulator.snapshot({ secrets: true }) })
    const caller = { emulator: next, fetch: next.fetch }
    const id = await openRun(caller, { name: 'ode', key: 'ann' })
    const kill = `mutation { updateRunState(input: { id: "${id}", state: "killed" }) { success } }`
    expect(await call(next, kill)).not.toHaveProperty('errors')
    await streamRun(caller, 'poem', { exitCode: 0, key: 'ann' })
    await next.webhooks.idle()
    expect(receiver.bodies()).toEqual([{ run: 'poem' }])
    expect(receiver.received[0]!.valid).toBe(true)
  })

  it('fires nothing while a program has it disabled, and keeps its other facts', async () => {
    const receiver = await startReceiver()
    const emulator = emulatorWith(receiver)
    const facts = await factsIn(emulator)
    const { id } = (await call(emulator, CREATE, facts)).data.createFilterTrigger.trigger
    const update = `mutation ($input: UpdateFilterTriggerInput!) {
      updateFilterTrigger(input: $input) { trigger { name enabled description } } }`
    const revise = async (change: object) => {
      const { data } = await call(emulator, update, { id, ...change })
      return data.updateFilterTrigger.trigger as object
    }
    const end = async (name: string) => {
      const caller = { emulator, fetch: emulator.fetch }
      await openRun(caller, { name, key: 'ann' })
      await streamRun(caller, name, { exitCode: 0, key: 'ann' })
      await emulator.webhooks.idle()
    }
    expect(await revise({ enabled: false })).toMatchObject({ name: 'made', enabled: false })
    expect(emulator.webhooks.parts.automations).toMatchObject([{ name: 'made', enabled: false }])
    await end('one')
    const renamed = { name: 'renamed', enabled: true, description: 'x' }
    expect(await revise(renamed)).toEqual(renamed)
    await end('two')
    expect(receiver.bodies()).toEqual([{ run: 'two' }])
    expect(emulator.webhooks.deliveries[0]!.automation).toBe('renamed')
  })

  it('sees the checkpoints and the runs of training jobs', async () => {
    const receiver = await startReceiver()
    const emulator = emulatorWith(receiver)
    const facts = await factsIn(emulator)
    await submit(emulator, 'poet', 'ann')
    const { projects } = emulator.engine.platformWithCheckpoints()
    const place = ['local-team', 'demo', 'poet'] as const
    const { integrationID } = facts.triggeredActionConfig.genericWebhookActionInput
    const requestPayload = '{"what":"${event_type} ${artifact_version_string}${run_name}"}'
    const triggeredActionConfig = { genericWebhookActionInput: { integrationID, requestPayload } }
    const versions = {
      name: 'versions',
      scopeType: 'ARTIFACT_COLLECTION',
      scopeID: projects.collectionNamed(...place)!.id,
      triggeringEventType: 'CREATE_ARTIFACT',
      eventFilter: '{"$or":[{"$and":[]}]}',
      triggeredActionConfig,
    }
    const runs = {
      name: 'runs',
      scopeID: projects.get('local-team', 'demo').id,
      eventFilter:
        '{"run_filter":"{\\"display_name\\":{\\"$regex\\":\\"^p\\"}}","run_state_filter":{"states":["FINISHED"]}}',
      triggeredActionConfig,
    }
    for (const each of [versions, runs]) {
      expect(await call(emulator, CREATE, { ...facts, ...each })).not.toHaveProperty('errors')
    }
    await emulator.settle()
    expect(receiver.bodies()).toEqual([
      { what: 'CREATE_ARTIFACT local-team/demo/poet:v1' },
      { what: 'RUN_STATE poet' },
    ])
  })

  it('is kept and noted if it calls no webhook, or watches what never happens', async () => {
    const emulator = emulatorWith({ url: 'http://receiver.test/' })
    const facts = await factsIn(emulator)
    const queueJobActionInput = { queueID: 'a-queue', template: '{}' }
    const unsent = {
      triggeredActionType: 'QUEUE_JOB',
      triggeredActionConfig: { queueJobActionInput },
    }
    const never = { name: 'never', triggeringEventType: 'WEAVE_METRIC_THRESHOLD' }
    await call(emulator, CREATE, { ...facts, ...unsent })
    await call(emulator, CREATE, { ...facts, ...never })
    await streamRun({ emulator, fetch: emulator.fetch }, 'poem', { exitCode: 0, key: 'ann' })
    await emulator.settle()
    const notes = emulator.journal.entries.flatMap((each) =>
      each.kind === 'note' ? each.text : [],
    )
    expect(notes.filter((text) => text.startsWith('automation'))).toEqual([
      'automation never never fires: WEAVE_METRIC_THRESHOLD does not happen here',
      'automation made: QUEUE_JOB is not sent, because the emulator sends webhooks only',
    ])
    const { edges } = (await call(emulator, LIST)).data.entity.triggers
    expect(edges).toMatchObject([
      {
        node: {
          name: 'made',
          triggeringCondition: { eventType: 'RUN_STATE', filter: facts.eventFilter },
          triggeredAction: { queue: { id: 'a-queue' }, template: '{}' },
        },
      },
      {
        node: {
          name: 'never',
          scope: { name: 'verse' },
          triggeringCondition: { filter: JSON.stringify({ filter: facts.eventFilter }) },
        },
      },
    ])
  })

  it('calls a webhook that a program makes, with secrets of the team', async () => {
    const receiver = await startReceiver()
    const emulator = emulatorWith(receiver)
    const facts = await factsIn(emulator)
    const make = `mutation ($input: CreateGenericWebhookIntegrationInput!) {
      createGenericWebhookIntegration(input: $input) { integration { id } } }`
    const webhook = { entityName: 'local-team', name: 'my hook', urlEndpoint: receiver.url }
    const unknown = await call(emulator, make, { ...webhook, secretRef: 'SECRETS' })
    expect(messageOf(unknown)).toBe(
      '404 There is no secret "SECRETS" of the team. There are: SECRET.',
    )
    // A world with such an address could not be read again.
    const wrong = await call(emulator, make, { ...webhook, urlEndpoint: 'http:receiver.test' })
    expect(messageOf(wrong)).toBe(
      '400 The urlEndpoint is "http:receiver.test"; expected a URL that begins with http:// or https://.',
    )
    const { data } = await call(emulator, make, { ...webhook, secretRef: 'SECRET' })
    const { id: integrationID } = data.createGenericWebhookIntegration.integration
    expect(messageOf(await call(emulator, make, webhook))).toContain('409')
    const project = { entity: 'local-team', project: 'verse' }
    await emulator.artifacts.put({ ...project, name: 'rows', files: { 'a.txt': 'one' } })
    const ofCollection = `{ project(name: "verse", entityName: "local-team") {
      artifactCollection(name: "rows") { id } } }`
    const scopeID = (await call(emulator, ofCollection)).data.project.artifactCollection.id
    await call(emulator, CREATE, {
      ...facts,
      scopeType: 'ARTIFACT_COLLECTION',
      scopeID,
      triggeringEventType: 'CREATE_ARTIFACT',
      eventFilter: '{"$or":[{"$and":[]}]}',
      triggeredActionConfig: { genericWebhookActionInput: { integrationID } },
    })
    for (const collection of ['rows', 'others']) {
      await emulator.artifacts.put({ ...project, name: collection, files: { 'a.txt': 'two' } })
    }
    await emulator.settle()
    expect(receiver.bodies()).toEqual([{}])
    expect(receiver.received[0]!.valid).toBe(true)
  })
})
