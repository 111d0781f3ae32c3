import { describe, expect, inject, it } from 'vitest'
import { createEmulator, type ScenarioInput } from '../../src/index.js'
import { SECRET, startReceiver } from '../support/receiver.js'
import { runSdk } from './run-sdk.js'

/** Automations fire on what the SDK logs, unmodified. What it does stands in clients/wandb_programs.py. */

const { wandb, wandbOld } = inject('pythons')

const rule = {
  webhook: 'hook',
  payload: {
    type: '${event_type}',
    of: '${artifact_version_string}${run_name}',
    what: '${alias}${tag}${run_state}${metric_value}',
    split: '${artifact_metadata.split}',
  },
}
const metric = { event: 'RUN_METRIC', window: 1, run: { user: 'local-user', name: '^My' } } as const

const scenario: ScenarioInput = {
  name: 'watched',
  webhooks: [{ name: 'hook' }],
  automations: [
    { ...rule, name: 'version', event: 'CREATE_ARTIFACT' },
    { ...rule, name: 'alias', event: 'ADD_ARTIFACT_ALIAS' },
    { ...rule, name: 'tag', event: 'ADD_ARTIFACT_TAG' },
    { ...rule, name: 'link', event: 'LINK_ARTIFACT', scope: { registry: 'models' } },
    { ...rule, name: 'state', event: 'RUN_STATE' },
    { ...rule, ...metric, name: 'loss', metric: 'loss', is: 'below', threshold: 2 },
    { ...rule, ...metric, name: 'hits', metric: 'eval.accuracy', is: 'above', threshold: 0.6 },
  ],
}

/** What the sink is told while the SDK runs, in its order. */
async function toldBySdk(): Promise<Record<string, string>[]> {
  await using emulator = createEmulator({ clock: 'real', scenario })
  await emulator.listen()
  const sink = emulator.createSink()
  const ran = await runSdk(wandb, ['wandb_programs.py', 'events'], emulator)
  if (ran.code !== 0) throw new Error(ran.stderr.slice(-3000))
  await emulator.webhooks.idle()
  expect(new Set(sink.deliveries.map(({ verdict }) => verdict))).toEqual(new Set(['valid']))
  return sink.deliveries.map(({ body }) => body as Record<string, string>)
}

describe.skipIf(wandb.command === undefined)('Automations', () => {
  it('fire once for each thing that the SDK logs', { timeout: 120_000 }, async () => {
    const told = await toldBySdk()
    const [ofRuns, ofArtifacts] = [true, false].map((isOfRun) => {
      const some = told.filter(({ type }) => type!.startsWith('RUN_') === isOfRun)
      return some.map(({ type, of, what, split }) => [type, of, what, split].join(' ').trim())
    })
    expect(ofArtifacts).toEqual([
      'CREATE_ARTIFACT local-team/verse/rows:v0  train',
      'ADD_ARTIFACT_TAG local-team/verse/rows:v0 clean train',
      'ADD_ARTIFACT_ALIAS local-team/verse/rows:latest latest train',
      'ADD_ARTIFACT_ALIAS local-team/verse/rows:best best train',
      'ADD_ARTIFACT_ALIAS local-team/verse/rows:checked checked train',
      'ADD_ARTIFACT_TAG local-team/verse/rows:v0 good train',
      'LINK_ARTIFACT local-team/models/rows:v0  train',
      'ADD_ARTIFACT_ALIAS local-team/models/rows:latest latest train',
      'ADD_ARTIFACT_ALIAS local-team/models/rows:prod prod train',
    ])
    expect(ofRuns).toEqual([
      'RUN_STATE My poem running',
      'RUN_METRIC My poem 1',
      'RUN_METRIC My poem 0.75',
      'RUN_STATE My poem finished',
      'RUN_STATE ode running',
      'RUN_STATE ode failed',
    ])
  })
})

const OF_SOURCES = ['collection', 'project', 'team', 'organization']
const OF_REGISTRIES = ['portfolio', 'registry']
const OF_LINKS = ['portfolio', 'registry', 'team', 'organization']
const OF_RUNS = ['project', 'team', 'organization']

/** In which scopes the program makes an automation for each event. */
const newest = {
  CreateArtifact: ['collection'],
  AddArtifactAlias: [...OF_SOURCES, ...OF_REGISTRIES],
  AddArtifactTag: [...OF_SOURCES, ...OF_REGISTRIES],
  RemoveArtifactTag: [...OF_SOURCES, ...OF_REGISTRIES],
  AddCollectionTag: [...OF_SOURCES, ...OF_REGISTRIES],
  RemoveCollectionTag: [...OF_SOURCES, ...OF_REGISTRIES],
  LinkArtifact: OF_LINKS,
  UnlinkArtifact: OF_LINKS,
  RunMetric: OF_RUNS,
  RunMetricChange: OF_RUNS,
  RunMetricZscore: OF_RUNS,
  RunState: OF_RUNS,
}

/** The same for an old version, which knows no other events, and watches collections and projects only. */
const old = {
  CreateArtifact: ['collection'],
  AddArtifactAlias: ['collection', 'project', 'portfolio'],
  LinkArtifact: ['portfolio'],
  RunMetric: ['project'],
  RunMetricChange: ['project'],
}

const sdks = [
  { version: '0.31.0', python: wandb, made: newest },
  { version: '0.22.3', python: wandbOld, made: old },
]

describe.for(sdks)('Automations that the SDK $version makes', ({ python, made }) => {
  it('fire once in each scope, with a signature, and never for something else', async ({
    skip,
  }) => {
    skip(python.command === undefined, python.why)
    const receiver = await startReceiver()
    await using emulator = createEmulator({
      clock: 'real',
      scenario: {
        name: 'integrations',
        secrets: { SECRET },
        webhooks: [{ name: 'hook', url: receiver.url, secret: 'SECRET' }],
      },
    })
    await emulator.listen()
    const program = ['wandb_automations.py', JSON.stringify(made)]
    const ran = await runSdk(python, program, emulator)
    if (ran.code !== 0) throw new Error(ran.stderr.slice(-3000))
    await emulator.webhooks.idle()
    expect(receiver.received.every(({ valid }) => valid)).toBe(true)
    const names = Object.entries(made).flatMap(([event, scopes]) => {
      return scopes.map((scope) => `${event} ${scope}`)
    })
    const bodies = receiver.bodies() as { automation: string }[]
    expect(bodies.map(({ automation }) => automation).sort()).toEqual(names.sort())
    expect(bodies).toEqual(
      expect.arrayContaining([
        {
          automation: 'LinkArtifact portfolio',
          of: 'local-team/wandb-registry-models/poems:v1',
          what: '',
        },
        { automation: 'RunMetric project', of: 'My poem', what: '1' },
      ]),
    )
  }, 120_000)
})
