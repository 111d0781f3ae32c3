import { describe, expect, it } from 'vitest'
import { createEmulator, type ScenarioInput, type TriggerFacts } from '../../../src/index.js'
import { eventTypes, isOfRun } from '../../../src/service/scenario/event-types.js'
import { openEmulator } from '../../emulator/open-emulator.js'
import { startReceiver } from '../../support/receiver.js'
import { submit } from '../../support/trainer.js'
import { withHook } from './world.js'

type Automation = NonNullable<ScenarioInput['automations']>[number]

const jobs: ScenarioInput['jobs'] = [
  {
    timeline: [
      { event: 'training_started', after: '1s' },
      {
        event: 'gradient_step',
        every: '1s',
        count: 6,
        metrics: { loss: { curve: 'list', values: [6, 5, 4, 3, 2, 1] } },
      },
      { event: 'training_ended', after: '1s' },
    ],
  },
]

type Partly<T> = T extends unknown ? Omit<T, 'name' | 'webhook'> : never

/** The deliveries of an automation in a world with a job of `poet`, and then one of `painter`. */
async function heard(automation: Partly<Automation>, scenario: Partial<ScenarioInput> = {}) {
  const receiver = await startReceiver()
  const { clock: _, ...around } = scenario
  const automations = [{ name: 'it', webhook: 'hook', ...automation }]
  const emulator = withHook(receiver, {}, { jobs, ...around, automations })
  await submit(emulator, 'poet', 'ann-key')
  await emulator.settle()
  await submit(emulator, 'painter', 'bob-key')
  await emulator.settle()
  return receiver.bodies()
}

/** Fires for the states of runs with such a name. */
function statesOf(name: string) {
  return { name: 'it', webhook: 'hook', event: 'RUN_STATE', run: { name } } as const
}

describe('an automation', () => {
  it('watches a project with all its collections, including later ones', async () => {
    const payload = { name: '${artifact_collection_name}' }
    const event = 'CREATE_ARTIFACT'
    expect(await heard({ event, payload, scope: { project: 'demo' } })).toEqual([
      { name: 'poet' },
      { name: 'painter' },
    ])
    expect(await heard({ event, payload, scope: { project: 'other' } })).toEqual([])
    expect(await heard({ event, payload, scope: { registry: '*' } })).toEqual([])
  })

  it('watches a registry in which a version is linked and named', async () => {
    const timeline: ScenarioInput['timeline'] = [
      { after: { event: 'training_ended' }, do: 'link', registry: 'models' },
      { after: { event: 'artifact_linked' }, do: 'add_alias', alias: 'prod', registry: 'models' },
      { after: { event: 'training_ended' }, do: 'add_alias', alias: 'prod' },
    ]
    const payload = { is: '${event_type}', at: '${artifact_version_string}', in: '${project_name}' }
    const scope = { registry: 'models' }
    expect(await heard({ event: 'LINK_ARTIFACT', scope, payload }, { timeline })).toEqual([
      { is: 'LINK_ARTIFACT', at: 'local-team/models/poet:v0', in: 'models' },
      { is: 'LINK_ARTIFACT', at: 'local-team/models/painter:v0', in: 'models' },
    ])
    expect(await heard({ event: 'ADD_ARTIFACT_ALIAS', scope, payload }, { timeline })).toEqual([
      { is: 'ADD_ARTIFACT_ALIAS', at: 'local-team/models/poet:prod', in: 'models' },
      { is: 'ADD_ARTIFACT_ALIAS', at: 'local-team/models/painter:prod', in: 'models' },
    ])
    const project = {
      event: 'ADD_ARTIFACT_ALIAS',
      alias: 'prod',
      scope: { project: 'demo' },
    } as const
    expect(await heard({ ...project, payload: { in: '${project_name}' } }, { timeline })).toEqual([
      { in: 'demo' },
      { in: 'demo' },
    ])
  })

  it('receives the tag of a version that is linked in a registry once', async () => {
    const timeline: ScenarioInput['timeline'] = [
      { after: { event: 'training_ended', model: 'poet' }, do: 'link', registry: 'models' },
      { after: { event: 'artifact_linked' }, do: 'add_tag', tag: 'good' },
      { after: { event: 'artifact_linked' }, do: 'add_tag', tag: 'bad' },
    ]
    const event = 'ADD_ARTIFACT_TAG'
    const payload = { tag: '${tag}', alias: '${alias}', in: '${project_name}' }
    expect(await heard({ event, tag: 'oo', payload }, { timeline })).toEqual([
      { tag: 'good', alias: '', in: 'demo' },
    ])
    const scope = { registry: 'models' }
    expect(await heard({ event, tag: 'oo', payload, scope }, { timeline })).toHaveLength(1)
  })

  it('filters by the states of a run, and by the user whose key created the job', async () => {
    const keys = {
      'ann-key': { user: 'ann', entity: 'team' },
      'bob-key': { user: 'bob', entity: 'team' },
    }
    const payload = { who: '${event_author}', run: '${run_name}', state: '${run_state}' }
    const states: 'finished'[] = ['finished']
    const ofBob = { event: 'RUN_STATE', states, run: { user: 'bob' }, payload } as const
    expect(await heard(ofBob, { auth: { keys } })).toEqual([
      { who: 'bob', run: 'painter', state: 'finished' },
    ])
  })

  it.each([
    ['(', 'error parsing regexp: missing closing ): `(`'],
    ['(?=poet)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
    ['((a{1,30}){1,30}){1,30}', 'error parsing regexp: invalid repeat count'],
    [
      '((a{1,30}){1,30})'.repeat(9),
      'expected a regular expression that compiles to at most 5000 instructions',
    ],
  ])('is refused if its regular expression is malformed, or would take long: %s', (name, told) => {
    const scenario = {
      name: 'refused',
      webhooks: [{ name: 'hook', url: 'http://receiver.test/' }],
      automations: [statesOf(name)],
    }
    expect(() => createEmulator({ scenario })).toThrow(`automations[0].run.name: `)
    expect(() => createEmulator({ scenario })).toThrow(told)
  })

  const payload = { loss: '${metric_value}' }
  const event = 'RUN_METRIC'

  it.each([
    [{ window: 1, is: 'below', threshold: 3 }, ['2', '1']],
    [{ window: 1, is: 'at_most', threshold: 3 }, ['3', '2', '1']],
    [{ window: 1, is: 'above', threshold: 5 }, ['6']],
    [{ window: 1, is: 'at_least', threshold: 5 }, ['6', '5']],
    [{ window: 1, is: 'equal', threshold: 5 }, ['5']],
    [{ window: 1, is: 'not_equal', threshold: 5 }, ['6', '4', '3', '2', '1']],
    [{ window: 2, is: 'below', threshold: 3 }, ['2.5', '1.5']],
    [{ window: 3, aggregate: 'max', is: 'at_most', threshold: 4 }, ['4', '3']],
    [{ window: 6, aggregate: 'min', is: 'at_most', threshold: 2 }, ['2', '1']],
  ] as const)('fires at each step that meets a metric condition: %j', async (rule, losses) => {
    const metric = { event, metric: 'loss', payload, run: { name: 'poet' }, ...rule } as const
    expect(await heard(metric)).toEqual(losses.map((loss) => ({ loss })))
  })

  it('fires when a metric has changed by an amount', async () => {
    const rule = {
      event: 'RUN_METRIC_CHANGE',
      metric: 'loss',
      payload,
      window: 1,
      prior: 1,
    } as const
    const run = { name: 'poet' }
    expect(await heard({ ...rule, run, by: 0.4 })).toEqual([{ loss: '-0.5' }])
    expect(await heard({ ...rule, run, by: 0.4, direction: 'increase' })).toEqual([])
    expect(await heard({ ...rule, run, by: 1, change: 'absolute' })).toHaveLength(5)
  })

  it.each([
    [{}, ['-6.5', '9']],
    [{ direction: 'increase' }, ['9']],
    [{ direction: 'decrease' }, ['-6.5']],
    [{ threshold: 7 }, ['9']],
    [{ window: 7 }, []],
  ] as const)('fires when a metric is far from its earlier values: %j', async (rule, scores) => {
    const values = [5, 7, -0.5, 3.25, 1.25, 11.25]
    const curve = { curve: 'list', values } as const
    const flat = {
      event: 'gradient_step',
      every: '1s',
      count: 6,
      metrics: { loss: curve },
    } as const
    const timeline = [{ event: 'training_started' }, flat, { event: 'training_ended' }] as const
    const zscore = { event: 'RUN_METRIC_ZSCORE', metric: 'loss', window: 2 } as const
    const automation = { ...zscore, payload, run: { name: 'poet' }, ...rule }
    expect(await heard(automation, { jobs: [{ timeline: [...timeline] }] })).toEqual(
      scores.map((loss) => ({ loss })),
    )
  })

  it.each([
    [{ event: 'RUN_METRIC', window: 3, is: 'equal', threshold: 0.1 }, 3],
    [{ event: 'RUN_METRIC_ZSCORE', window: 3, threshold: 3 }, 0],
    [{ event: 'RUN_METRIC_CHANGE', window: 1, prior: 3, by: 0.000_001, change: 'absolute' }, 1],
  ] as const)('takes equal values as equal, however they are rounded: %j', async (rule, times) => {
    const emulator = openEmulator()
    const receiver = await startReceiver()
    const named = { name: 'equal', webhook: 'hook', metric: 'loss', payload }
    emulator.webhooks.add({
      webhooks: [{ name: 'hook', url: receiver.url }],
      automations: [{ ...named, ...rule }],
    })
    const values = [0.1, 0.1, 0.1, 0.2]
    const sent = values.map((loss) => emulator.trigger(rule.event, { metrics: { loss } }))
    expect((await Promise.all(sent)).flat()).toHaveLength(times)
  })

  it.each([
    [{ cooldown: '2s' }, ['6', '4', '2', '6', '4', '2']],
    [{ cooldown: '1h' }, ['6']],
    [{ rate: { firings: 2, within: '4s' } }, ['6', '5', '2', '1', '6', '5', '2', '1']],
  ])('skips what is too much for a limit of the scenario: %j', async (limits, losses) => {
    const rule = { event, metric: 'loss', window: 1, is: 'above', threshold: 0, payload } as const
    const skipping = { automation_limits: limits }
    expect(await heard(rule, skipping)).toEqual(losses.map((loss) => ({ loss })))
  })

  it('keeps its limit in a snapshot', async () => {
    const receiver = await startReceiver()
    const automation_limits = { cooldown: '1h' }
    const emulator = withHook(receiver, {}, { jobs, automation_limits })
    await submit(emulator, 'poet')
    emulator.clock.advance('1s')
    const next = openEmulator({ snapshot: await emulator.snapshot() })
    next.clock.advance('1h')
    next.clock.advance('1h')
    await next.webhooks.idle()
    const notes = next.journal.entries.flatMap((each) => (each.kind === 'note' ? each.text : []))
    expect(notes).toContain(
      'automation states: RUN_STATE is skipped, because of the cooldown of 1h',
    )
  })

  it('is triggered by an event that exists', async () => {
    const emulator = withHook({ url: 'http://receiver.test/' })
    await expect(emulator.trigger('ADD_ALIAS')).rejects.toThrow('no such event. There are:')
  })

  it('sends nothing about an event if its scenario ends at once', async () => {
    const emulator = withHook(await startReceiver(), {}, { automations: [statesOf('^poet$')] })
    const failed = { run: 'poet', state: 'failed' } as const
    const early = emulator.trigger('RUN_STATE', failed)
    emulator.follow({ ...emulator.scenario, description: 'The next one.' })
    expect(await early).toEqual([])
    const later = await emulator.trigger('RUN_STATE', failed)
    expect(later).toHaveLength(1)
    expect(emulator.webhooks.deliveries).toEqual(later)
  })
})

/** Another value than the default one of each fact that the default payload shows. */
const OTHER_FACTS: Omit<Required<TriggerFacts>, 'metadata' | 'metrics'> = {
  entity: 'team-a',
  project: 'tests',
  registry: 'models',
  collection: 'poet',
  version: 7,
  alias: 'production',
  tag: 'good',
  author: 'ann',
  run: 'nightly',
  state: 'crashed',
}

it.each(eventTypes)('%s triggered by hand shows each fact, or refuses it', async (event) => {
  const emulator = withHook(
    { url: 'http://receiver.test/' },
    {},
    { send: async () => ({ status: 204, body: '' }) },
  )
  const sent = async (facts: TriggerFacts): Promise<string> => {
    const [delivery] = await emulator.trigger(event, { ...facts, to: 'hook' })
    return delivery!.text
  }
  const usual = await sent({})
  for (const [fact, value] of Object.entries(OTHER_FACTS)) {
    const shown = await sent({ [fact]: value }).catch(String)
    expect(shown).toMatch(
      /^\{|: option "\w+" is no fact of [A-Z_]+; leave it out\. It has: entity, /,
    )
    expect([fact, shown]).not.toEqual([fact, usual])
  }
  const stray = isOfRun(event) ? { metadata: {} } : { metrics: {} }
  await expect(emulator.trigger(event, stray)).rejects.toThrow(`is no fact of ${event}`)
})
