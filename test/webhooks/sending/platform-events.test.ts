import { describe, expect, it } from 'vitest'
import type { EmulatorOptions, ScenarioInput } from '../../../src/index.js'
import { openEmulator } from '../../emulator/open-emulator.js'
import { apiClient } from '../../support/api-client.js'
import { graphql } from '../../support/graphql.js'
import {
  changeAlias,
  link,
  logArtifact,
  mutate,
  openRun,
  streamRun,
} from '../../support/platform-client.js'
import { describeInProcess, type Api } from '../../support/transports.js'

type Automation = NonNullable<ScenarioInput['automations']>[number]
type Partly<T> = T extends unknown ? Omit<T, 'name' | 'webhook'> : never

/** A scenario whose automations call the sink. */
function watching(...automations: Partly<Automation>[]): { scenario: ScenarioInput } {
  return {
    scenario: {
      name: 'watching',
      webhooks: [{ name: 'hook' }],
      automations: automations.map((each, index) => {
        return { name: `automation ${index + 1}`, webhook: 'hook', ...each }
      }),
    },
  }
}

/** Does something, and returns the bodies of the deliveries that it leads to. All of them are signed. */
async function bodiesOf({ emulator }: Api, work: () => Promise<void>): Promise<unknown[]> {
  const sink = emulator.createSink()
  await work()
  await emulator.settle()
  expect(sink.deliveries.map(({ verdict }) => verdict)).not.toContain('invalid')
  return sink.deliveries.map(({ body }) => body)
}

const what = { is: '${event_type}', what: '${artifact_version_string}' }

describeInProcess('a run that is preempted', (open) => {
  const payload = { name: '${run_name}', state: '${run_state}' }
  const STATES = ['running', 'preempting', 'preempted', 'failed', 'finished'] as const

  it('is first preempting, also when its config changes, and preempted when it fails', async () => {
    const api = await open(watching({ event: 'RUN_STATE', states: [...STATES], payload }))
    const bodies = await bodiesOf(api, async () => {
      for (const [name, exitCode] of Object.entries({ poem: 1, song: 0 })) {
        await openRun(api, { name })
        await streamRun(api, name, { preempting: true })
        await openRun(api, { name })
        await streamRun(api, name, { exitCode })
      }
      await openRun(api, { name: 'ode' })
      await streamRun(api, 'ode', { preempting: true })
      // After such a silence, a run that a program opens runs again.
      api.emulator.clock.advance('6m')
      await openRun(api, { name: 'ode' })
    })
    expect(bodies).toEqual([
      { name: 'poem', state: 'running' },
      { name: 'poem', state: 'preempting' },
      { name: 'poem', state: 'preempted' },
      { name: 'song', state: 'running' },
      { name: 'song', state: 'preempting' },
      { name: 'song', state: 'finished' },
      ...['running', 'preempting', 'preempted', 'running'].map((state) => ({ name: 'ode', state })),
    ])
  })
})

describeInProcess('automations of artifacts', (open) => {
  it('fire once for each thing that a client does', async () => {
    const api = await open()
    const sink = api.emulator.createSink()
    const id = await logArtifact(api, {
      name: 'rows',
      content: 'one',
      aliases: ['best'],
      tags: ['clean'],
    })
    await link(api, { id, registry: 'models', collection: 'poems' })
    await changeAlias(api, 'addAliases', { id, name: 'poems', alias: 'prod', project: 'models' })
    await api.emulator.settle()
    const told = sink.deliveries.map(({ body }) => {
      const { event_type: type, alias, tag, ...rest } = body as Record<string, string>
      const { artifact_version_string: name, project_name: project, event_author: author } = rest
      return [type, `${alias}${tag}`, name, project, author].join(' ')
    })
    expect(told).toEqual([
      'CREATE_ARTIFACT  local-team/verse/rows:v0 verse local-user',
      'ADD_ARTIFACT_TAG clean local-team/verse/rows:v0 verse local-user',
      'ADD_ARTIFACT_ALIAS latest local-team/verse/rows:latest verse local-user',
      'ADD_ARTIFACT_ALIAS best local-team/verse/rows:best verse local-user',
      'LINK_ARTIFACT  local-team/models/poems:v0 models local-user',
      'ADD_ARTIFACT_ALIAS latest local-team/models/poems:latest models local-user',
      'ADD_ARTIFACT_ALIAS prod local-team/models/poems:prod models local-user',
    ])
    expect(new Set(sink.deliveries.map(({ verdict }) => verdict))).toEqual(new Set(['valid']))
  })

  it('fire for what a client takes away, and for tags of collections, once for each', async () => {
    const payload = { ...what, in: '${project_name}/${artifact_collection_name}', tag: '${tag}' }
    const events = [
      'UNLINK_ARTIFACT',
      'REMOVE_ARTIFACT_TAG',
      'ADD_COLLECTION_TAG',
      'REMOVE_COLLECTION_TAG',
    ] as const
    const api = await open(watching(...events.map((event) => ({ event, payload }))))
    const bodies = await bodiesOf(api, async () => {
      const id = await logArtifact(api, { name: 'rows', content: 'one', tags: ['clean'] })
      const portfolio = await link(api, { id, registry: 'models', collection: 'poems' })
      const named = 'entityName: "local-team", projectName: "models"'
      const tagged = `input: { ${named}, artifactCollectionName: "poems", tags: [{ tagName: "good" }] }`
      const addTag = `createArtifactCollectionTagAssignments(${tagged}) { tags { name } }`
      const removeTag = `deleteArtifactCollectionTagAssignments(${tagged}) { success }`
      const untag = `updateArtifact(input: { artifactID: "${id}", tagsToDelete: [{ tagName: "clean" }] }) { artifact { id } }`
      const unlink = `unlinkArtifact(input: { artifactID: "${id}", artifactPortfolioID: "${portfolio}" }) { success }`
      for (const each of [addTag, addTag, removeTag, removeTag, untag, untag, unlink]) {
        expect(await graphql(api, `mutation { ${each} }`)).not.toHaveProperty('errors')
      }
    })
    const of = { what: '', in: 'models/poems', tag: 'good' }
    expect(bodies).toEqual([
      { is: 'ADD_COLLECTION_TAG', ...of },
      { is: 'REMOVE_COLLECTION_TAG', ...of },
      {
        is: 'REMOVE_ARTIFACT_TAG',
        what: 'local-team/verse/rows:v0',
        in: 'verse/rows',
        tag: 'clean',
      },
      { is: 'UNLINK_ARTIFACT', what: 'local-team/models/poems:v0', in: 'models/poems', tag: '' },
    ])
  })

  it('show what the artifact says', async () => {
    const payload = {
      version: '${artifact_version}',
      rows: '${artifact_metadata.rows}',
      split: '${artifact_metadata.split}',
      none: '${artifact_metadata.nothing}',
    }
    const api = await open(watching({ event: 'CREATE_ARTIFACT', payload }))
    let id = ''
    const bodies = await bodiesOf(api, async () => {
      const metadata = { rows: 2, split: { train: 1 } }
      id = await logArtifact(api, { name: 'rows', content: 'one', metadata })
    })
    expect(bodies).toEqual([
      { version: `artifact://_id/${id}`, rows: '2', split: '{"train":1}', none: '' },
    ])
    const { journal, webhooks } = api.emulator
    const [cause] = journal.entries.filter(
      (each) => each.id === webhooks.deliveries[0]!.event.cause,
    )
    expect(cause).toMatchObject({
      effects: expect.arrayContaining(['committed local-team/verse/rows:v0']) as string[],
    })
  })

  it('do not fire for the same content, and fire when an alias moves', async () => {
    const api = await open(
      watching(
        { event: 'CREATE_ARTIFACT', payload: what },
        { event: 'ADD_ARTIFACT_ALIAS', alias: '^b', payload: what },
      ),
    )
    const bodies = await bodiesOf(api, async () => {
      const first = await logArtifact(api, { name: 'rows', content: 'one', aliases: ['best'] })
      await logArtifact(api, { name: 'rows', content: 'one', aliases: ['best'] })
      await logArtifact(api, { name: 'rows', content: 'two', aliases: ['best'] })
      await changeAlias(api, 'addAliases', { id: first, name: 'rows', alias: 'best' })
    })
    const best = { is: 'ADD_ARTIFACT_ALIAS', what: 'local-team/verse/rows:best' }
    expect(bodies).toEqual([
      { is: 'CREATE_ARTIFACT', what: 'local-team/verse/rows:v0' },
      best,
      { is: 'CREATE_ARTIFACT', what: 'local-team/verse/rows:v1' },
      best,
      best,
    ])
    const ids = api.emulator.webhooks.deliveries.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('of a registry see all of its collections, later ones too, and tags of what is linked there', async () => {
    const payload = { ...what, tag: '${tag}' }
    const scope = { registry: 'models' }
    const api = await open(
      watching(
        { event: 'LINK_ARTIFACT', scope, payload },
        { event: 'ADD_ARTIFACT_TAG', scope, payload },
        { event: 'ADD_ARTIFACT_TAG', scope: { project: 'verse' }, payload },
        { event: 'LINK_ARTIFACT', scope: { registry: 'other' }, payload },
      ),
    )
    const bodies = await bodiesOf(api, async () => {
      const id = await logArtifact(api, { name: 'rows', content: 'one' })
      await link(api, { id, registry: 'wandb-registry-models', collection: 'poems' })
      await link(api, { id, registry: 'wandb-registry-models', collection: 'odes' })
      const input = { artifactID: id, tagsToAdd: [{ tagName: 'good' }] }
      await mutate(api, 'updateArtifact', { input, answer: 'artifact { id }' })
    })
    const at = 'local-team/wandb-registry-models'
    expect(bodies).toEqual([
      { is: 'LINK_ARTIFACT', what: `${at}/poems:v0`, tag: '' },
      { is: 'LINK_ARTIFACT', what: `${at}/odes:v0`, tag: '' },
      { is: 'ADD_ARTIFACT_TAG', what: 'local-team/verse/rows:v0', tag: 'good' },
      { is: 'ADD_ARTIFACT_TAG', what: `${at}/poems:v0`, tag: 'good' },
      { is: 'ADD_ARTIFACT_TAG', what: `${at}/odes:v0`, tag: 'good' },
    ])
  })

  it('can be those of some collections only', async () => {
    const scope = { project: 'verse', collection: ['poet*', 'odes'] }
    const api = await open(watching({ event: 'CREATE_ARTIFACT', scope, payload: what }))
    const bodies = await bodiesOf(api, async () => {
      for (const name of ['rows', 'poets', 'odes']) await logArtifact(api, { name, content: name })
    })
    expect(bodies).toEqual([
      { is: 'CREATE_ARTIFACT', what: 'local-team/verse/poets:v0' },
      { is: 'CREATE_ARTIFACT', what: 'local-team/verse/odes:v0' },
    ])
  })
})

const auth = {
  keys: {
    ['a'.repeat(40)]: { user: 'ann', entity: 'local-team' },
    ['b'.repeat(40)]: { user: 'bob', entity: 'local-team' },
  },
}
const ANN = 'a'.repeat(40)
const BOB = 'b'.repeat(40)

describeInProcess('automations of runs', (open) => {
  it('fire for its states, and again if it goes on', async () => {
    const payload = { run: '${run_name} ${run_id}', state: '${run_state}' }
    const api = await open(watching({ event: 'RUN_STATE', payload }))
    const bodies = await bodiesOf(api, async () => {
      await openRun(api, { name: 'poem', displayName: 'My poem' })
      await streamRun(api, 'poem', { exitCode: 0 })
      await openRun(api, { name: 'poem', displayName: 'My poem' })
      await streamRun(api, 'poem', { exitCode: 1 })
    })
    const run = 'My poem poem'
    expect(bodies).toEqual([
      { run, state: 'running' },
      { run, state: 'finished' },
      { run, state: 'running' },
      { run, state: 'failed' },
    ])
    const ids = api.emulator.webhooks.deliveries.map(({ id }) => id)
    expect(new Set(ids).size).toBe(4)
  })

  it('filter by states, by the user who created the run, and by its name', async () => {
    const payload = { run: '${run_name}', by: '${event_author}' }
    const rule = {
      event: 'RUN_STATE',
      states: ['failed' as const],
      payload,
    } satisfies Partly<Automation>
    const { scenario } = watching(
      { ...rule, run: { user: 'ann' } },
      { ...rule, run: { name: '^(p+)+$' } },
      { ...rule, run: { user: 'ann', name: 'x' } },
    )
    const api = await open({ scenario: { ...scenario, auth } })
    const bodies = await bodiesOf(api, async () => {
      for (const [name, key] of [
        ['one', ANN],
        ['pppp', BOB],
        [`${'p'.repeat(60)}!`, BOB],
      ] as const) {
        await openRun(api, { name, key })
        await streamRun(api, name, { exitCode: 1, key: BOB })
      }
    })
    expect(bodies).toEqual([
      { run: 'one', by: 'bob' },
      { run: 'pppp', by: 'bob' },
    ])
  })

  it('compare the latest values of a metric, and count each value once', async () => {
    const rule = { event: 'RUN_METRIC', metric: 'loss', aggregate: 'average', is: 'below' } as const
    const payload = { run: '${run_name}', loss: '${metric_value}', metric: '${metric_name}' }
    const api = await open(watching({ ...rule, window: 2, threshold: 2, payload }))
    const row = (loss: unknown, step: number) => ({ loss, _step: step })
    const bodies = await bodiesOf(api, async () => {
      await openRun(api, { name: 'one' })
      await openRun(api, { name: 'two' })
      await streamRun(api, 'one', { rows: [row(5, 0), row(2, 1)] })
      // A program sends a part again if it got no answer.
      await streamRun(api, 'one', { rows: [row(5, 0), row(2, 1), row(1, 2)] })
      await streamRun(api, 'two', { rows: [row(3, 0)] })
      await streamRun(api, 'one', {
        offset: 3,
        rows: [row('NaN', 3), { accuracy: 1, _step: 4 }, row(0, 5)],
      })
    })
    expect(bodies).toEqual([
      { run: 'one', loss: '1.5', metric: 'loss' },
      { run: 'one', loss: '0.5', metric: 'loss' },
    ])
  })

  it('find the change of a metric, also of one inside of an object', async () => {
    const rule = { event: 'RUN_METRIC_CHANGE', window: 1, prior: 1, by: 0.5 } as const
    const payload = { changed: '${metric_value}' }
    const api = await open(
      watching({ ...rule, metric: 'train.loss', direction: 'decrease', payload }),
    )
    const bodies = await bodiesOf(api, async () => {
      await openRun(api, { name: 'one' })
      await streamRun(api, 'one', { rows: [4, 4, 1, 3].map((loss) => ({ train: { loss } })) })
    })
    expect(bodies).toEqual([{ changed: '-0.75' }])
  })
})

describeInProcess('a checkpoint', (open) => {
  const payload = {
    is: '${event_type}',
    alias: '${alias}',
    what: '${artifact_version_string}',
    id: '${artifact_version}',
    model: '${artifact_metadata.base_model}',
    step: '${artifact_metadata.step}',
  }

  /** The versions of `poet` that a client reads, oldest first. */
  async function versionsOf(api: Api) {
    const query = `{ project(name: "my-project", entityName: "local-team") {
      artifactType(name: "lora") { artifactCollection(name: "poet") { artifacts { edges {
        node { id versionIndex metadata tags { name } aliases { alias } }
      } } } }
    } }`
    const { data } = await graphql(api, query)
    const { edges } = data.project.artifactType.artifactCollection.artifacts as {
      edges: { node: { id: string; versionIndex: number; metadata: string; aliases: object[] } }[]
    }
    return edges.map(({ node }) => node).toSorted((a, b) => a.versionIndex - b.versionIndex)
  }

  it.each([false, true])(
    'has one event for its version, which clients then read, or read before (%j)',
    async (isReadBefore) => {
      const api = await open(
        watching({ event: 'CREATE_ARTIFACT', payload }, { event: 'ADD_ARTIFACT_ALIAS', payload }),
      )
      const { emulator } = api
      const bodies = await bodiesOf(api, async () => {
        await emulator.models.create({ name: 'poet', project: 'my-project' })
        if (isReadBefore) await versionsOf(api)
        for (let job = 0; job < 2; job++) {
          emulator.jobs.finish(await emulator.jobs.start({ model: 'poet' }))
        }
        await versionsOf(api)
      })
      const [, one, two] = await versionsOf(api)
      const at = 'local-team/my-project/poet'
      const model = 'example/base-8b-instruct'
      expect(bodies).toEqual(
        [one!, two!].flatMap(({ id: own }, index) => {
          const step = String(index + 1)
          const facts = { id: `artifact://_id/${own}`, model, step }
          const is = 'ADD_ARTIFACT_ALIAS'
          return [
            { is: 'CREATE_ARTIFACT', alias: '', what: `${at}:v${step}`, ...facts },
            { is, alias: 'latest', what: `${at}:latest`, ...facts },
            { is, alias: `step${step}`, what: `${at}:step${step}`, ...facts },
          ]
        }),
      )
    },
  )

  it('gets the alias, the tag and the metadata that a client gives to its artifact', async () => {
    const told = { alias: '${alias}${tag}', by: '${artifact_metadata.by}' }
    const api = await open(
      watching(
        { event: 'ADD_ARTIFACT_ALIAS', alias: '^(prod|best)$', payload: told },
        { event: 'ADD_ARTIFACT_TAG', payload: told },
      ),
    )
    const { emulator } = api
    const bodies = await bodiesOf(api, async () => {
      const { id } = await emulator.models.create({ name: 'poet', project: 'my-project' })
      emulator.jobs.finish(await emulator.jobs.start({ model: 'poet' }))
      const [zero, one] = await versionsOf(api)
      await graphql(
        api,
        `mutation { updateArtifact(input: { artifactID: "${one!.id}", metadata: "{\\"by\\": \\"ann\\"}",
          tagsToAdd: [{ tagName: "good" }] }) { artifact { id } } }`,
      )
      const place = { name: 'poet', project: 'my-project' }
      await changeAlias(api, 'addAliases', { id: zero!.id, ...place, alias: 'prod' })
      await changeAlias(api, 'addAliases', { id: one!.id, ...place, alias: 'prod' })
      const model = emulator.engine.store.model(id)!
      expect(model.aliases.get('prod')).toBe(model.checkpoints.at(1))
      emulator.engine.checkpointing.alias(model, 'best', { checkpoint: model.checkpoints.at(1)! })
    })
    expect(bodies).toEqual([
      { alias: 'good', by: 'ann' },
      { alias: 'prod', by: '' },
      { alias: 'prod', by: 'ann' },
      { alias: 'best', by: 'ann' },
    ])
    const [zero, one] = await versionsOf(api)
    expect(zero!.aliases).toEqual([{ alias: 'step0' }])
    expect(one!.aliases).toEqual(['latest', 'step1', 'prod', 'best'].map((alias) => ({ alias })))
    const chat = async () => {
      const model = 'artifact:///local-team/my-project/poet:prod'
      const messages = [{ role: 'user', content: 'Hi' }]
      const { status } = await api.inference.post('/chat/completions', { model, messages })
      return status
    }
    expect(await chat()).toBe(200)
    await changeAlias(api, 'deleteAliases', {
      id: one!.id,
      name: 'poet',
      project: 'my-project',
      alias: 'prod',
    })
    expect(await chat()).toBe(404)
  })
})

function inProcess(options: EmulatorOptions): Api {
  const emulator = openEmulator(options)
  return { emulator, ...apiClient(emulator, emulator.fetch), fetch: emulator.fetch }
}

describe('a world that was saved', () => {
  it('tells nothing again, and continues with the values of a metric', async () => {
    const payload = { is: '${event_type}', loss: '${metric_value}' }
    const rule = {
      event: 'RUN_METRIC',
      metric: 'loss',
      is: 'below',
      run: { name: '^poem$' },
    } as const
    const { scenario } = watching(
      { event: 'CREATE_ARTIFACT', payload },
      { event: 'RUN_STATE', run: { name: '^poem$' }, payload },
      { ...rule, window: 3, threshold: 2, payload },
    )
    const webhooks = [{ name: 'hook', url: 'http://receiver.test/hook' }]
    const send = () => Promise.resolve({ status: 200, body: '' })
    const options = { scenario: { ...scenario, webhooks }, send }
    const toldBy = async ({ emulator }: Api): Promise<unknown[]> => {
      await emulator.settle()
      return emulator.webhooks.deliveries.map(({ text }) => JSON.parse(text) as unknown)
    }
    const before = inProcess(options)
    await logArtifact(before, { name: 'rows', content: 'one' })
    await openRun(before, { name: 'poem' })
    await streamRun(before, 'poem', { rows: [{ loss: 3 }, { loss: 2 }] })
    await before.emulator.models.create({ name: 'poet' })
    before.emulator.jobs.finish(await before.emulator.jobs.start({ model: 'poet' }))
    const types = ['CREATE_ARTIFACT', 'RUN_STATE', 'CREATE_ARTIFACT']
    const told = types.map((is) => ({ is, loss: '' }))
    expect(await toldBy(before)).toEqual(told)
    const after = inProcess({ ...options, snapshot: await before.emulator.snapshot() })
    expect(after.emulator.engine.platformWithCheckpoints().artifacts.count).toBeGreaterThan(0)
    expect(await toldBy(after)).toEqual(told)
    await openRun(after, { name: 'poem' })
    // The program sends all of it again, because its last call had no answer.
    await streamRun(after, 'poem', { rows: [{ loss: 3 }, { loss: 2 }, { loss: 0.25 }] })
    expect(await toldBy(after)).toEqual([...told, { is: 'RUN_METRIC', loss: '1.75' }])
  })
})

it('the versions of a model count from 0, also if clients read those of an earlier model of its name', async () => {
  const payload = { what: '${artifact_version_string}' }
  const { emulator } = inProcess(watching({ event: 'CREATE_ARTIFACT', payload }))
  const sink = emulator.createSink()
  for (const isRead of [true, false, true]) {
    const { id } = await emulator.models.create({ name: 'poet', project: 'demo' })
    emulator.jobs.finish(await emulator.jobs.start({ model: 'poet' }))
    if (isRead) expect(emulator.engine.platformWithCheckpoints().artifacts.count).toBe(2)
    emulator.models.delete(id)
    expect(emulator.engine.platformWithCheckpoints().artifacts.count).toBe(0)
  }
  await emulator.settle()
  const told = { what: 'local-team/demo/poet:v1' }
  expect(sink.deliveries.map(({ body }) => body)).toEqual([told, told, told])
})

it('a delivery has only what its payload shows of large metadata', async () => {
  const payload = { rows: '${artifact_metadata.rows}' }
  const api = inProcess(watching({ event: 'CREATE_ARTIFACT', payload }))
  const metadata = { rows: 2, notes: 'x'.repeat(20_000) }
  const bodies = await bodiesOf(api, async () => {
    await logArtifact(api, { name: 'rows', content: 'one', metadata })
  })
  expect(bodies).toEqual([{ rows: '2' }])
  const [delivery] = api.emulator.webhooks.deliveries
  expect(delivery!.event.artifact!.metadata).toEqual({ rows: 2 })
})

it('a checkpoint that cannot be linked leaves a note, and its event', async () => {
  const { scenario } = watching({ event: 'LINK_ARTIFACT', payload: what })
  const timeline: ScenarioInput['timeline'] = [
    { after: { event: 'training_ended' }, do: 'link', registry: 'verse', collection: 'rows' },
  ]
  const api = inProcess({ scenario: { ...scenario, timeline } })
  const { emulator } = api
  const bodies = await bodiesOf(api, async () => {
    await logArtifact(api, { name: 'rows', content: 'one' })
    await emulator.models.create({ name: 'poet' })
    emulator.jobs.finish(await emulator.jobs.start({ model: 'poet' }))
  })
  expect(bodies).toEqual([{ is: 'LINK_ARTIFACT', what: 'local-team/verse/rows:v1' }])
  const notes = emulator.journal.entries.flatMap((entry) =>
    entry.kind === 'note' ? entry.text : [],
  )
  expect(notes).toContainEqual(
    expect.stringMatching(
      /^poet: its artifact did not change: The collection "rows" has artifacts/,
    ),
  )
})
