import { describe, expect, it } from 'vitest'
import { createEmulator, type RequestEntry, type ScenarioInput } from '../../../src/index.js'
import { clientOf } from '../../support/api-client.js'
import { createModel, listEvents, startJob } from '../../support/trainer.js'
import { describeInProcess, type Api } from '../../support/transports.js'

const equal = [{ trajectories: [{ reward: 0.5 }, { reward: 0.5 }] }]
const nearly = [{ trajectories: [{ reward: 0.3 }, { reward: 0.1 + 0.2 }] }]
const single = [{ trajectories: [{ reward: 1 }] }, { trajectories: [{ reward: 0 }] }]
const exception = { type: "<class 'ValueError'>", message: 'no', traceback: '' }

const EQUAL = 'all trajectories of the same group have the same reward'
const SINGLE = 'no group has more than one trajectory'
const EMPTY = 'the batch has no trajectories'

const HINT =
  'a group trains if it has at least two trajectories with different rewards; rl.nothing_to_train of the scenario changes what the job does'

/** Trains on a batch, and returns what a client sees of the job, and what the journal says of the call. */
async function train(api: Api, trajectory_groups: readonly object[]) {
  const { id } = await createModel(api)
  const job = await startJob(api, id, trajectory_groups)
  const [{ effects, hint }] = api.emulator.requests.all().slice(-1) as [RequestEntry]
  api.emulator.clock.advance('1m')
  const events = await listEvents(api, job)
  const { body } = await api.get(`/preview/models/${id}/checkpoints?order=desc&limit=1`)
  const { step, metrics } = body.data[0]
  return { types: events.map(({ type }) => type), events, step, metrics, effects, hint }
}

function scenario(rl: ScenarioInput['rl'], more: Partial<ScenarioInput> = {}) {
  return { scenario: { name: 'mine', rl, ...more } }
}

describeInProcess('a batch with nothing to train on', (open) => {
  it.each([
    ['equal rewards', equal],
    ['rewards that differ by less than 1e-12', nearly],
    ['one trajectory in each group', single],
    ['no groups', []],
    ['an empty group', [{}]],
    ['only exceptions', [{ exceptions: [exception] }]],
  ])('advances the step without a gradient step: %s', async (_what, batch) => {
    const { types, events, step, metrics } = await train(await open(), batch)
    expect(types).toEqual(['training_started', 'training_ended'])
    expect(events[0]!.data).toEqual({ num_sequences: 0 })
    expect(step).toBe(1)
    expect(metrics).toMatchObject({ 'train/num_groups_trainable': 0, 'train/num_sequences': 0 })
  })

  it.each([
    [equal, EQUAL],
    [single, SINGLE],
    [[], EMPTY],
  ])('is explained in the journal', async (batch, why) => {
    const api = await open()
    const { effects, hint } = await train(api, batch)
    expect(effects).toEqual([
      expect.stringContaining('queued RL job'),
      `nothing to train: ${why}, so the job takes no gradient steps`,
    ])
    expect(hint).toBe(HINT)
    const started = api.emulator.journal.entries.find(
      (entry) => entry.kind === 'job' && entry.event === 'training_started',
    )
    expect(started).toMatchObject({ text: expect.stringContaining('; nothing to train: ') })
  })

  it('takes the gradient steps that the scenario counts', async () => {
    const step = { event: 'gradient_step' as const }
    const ends = [
      { event: 'training_started' as const },
      { event: 'training_ended' as const },
    ] as const
    const timeline = [ends[0], step, { ...step, count: 2 }, ends[1]]
    const { types, effects } = await train(
      await open(scenario({}, { jobs: [{ timeline }] })),
      equal,
    )
    const steps = ['gradient_step', 'gradient_step']
    expect(types).toEqual(['training_started', ...steps, 'training_ended'])
    expect(effects.join()).toContain('only gradient steps that the scenario counts')
  })

  it.each([
    [equal, 2],
    [single, 2],
    [[], 0],
  ])('trains as usual if the scenario says so', async (batch, taken) => {
    const api = await open(scenario({ nothing_to_train: 'train' }))
    const { types, effects } = await train(api, batch)
    const steps = Array<string>(taken).fill('gradient_step')
    expect(types).toEqual(['training_started', ...steps, 'training_ended'])
    expect(effects).toEqual([expect.stringContaining('queued RL job')])
  })

  it('fails the job if the scenario says so', async () => {
    const api = await open(scenario({ nothing_to_train: 'fail' }))
    const batch = [{ exceptions: [exception, exception] }, {}]
    const { types, events, step } = await train(api, batch)
    expect(types).toEqual(['training_failed'])
    const error_message = `No suitable data to train on: ${EMPTY}, only 2 exceptions`
    expect(events[0]!.data).toEqual({ error_message })
    expect(step).toBe(0)
  })

  it('fails the job with the message of the scenario', async () => {
    const api = await open(scenario({ nothing_to_train: { fail: 'out of data' } }))
    const { events } = await train(api, equal)
    expect(events.at(-1)!.data).toEqual({ error_message: 'out of data' })
  })
})

const LOGPROBS = 'no answer has log probabilities, and allow_training_without_logprobs is false'

describeInProcess('answers without log probabilities', (open) => {
  const message = { role: 'assistant', content: 'Four.' }
  const choice = { index: 0, finish_reason: 'stop', message }
  const scored = {
    ...choice,
    logprobs: { content: [{ token: 'F', logprob: -0.1, bytes: null, top_logprobs: [] }] },
  }
  const ask = { role: 'user', content: '2 + 2?' }
  const turn = (...answers: object[]) => ({ messages_and_choices: [ask, ...answers] })
  const captured = (wire: string, response: object) => ({
    exchanges: { [wire]: [{ request: {}, response }] },
  })
  const forms: readonly [string, object][] = [
    ['a message', turn(message)],
    ['a choice', turn({ ...choice, token_ids: [5] })],
    ['an additional history', { additional_histories: [turn(message)] }],
    ['a captured chat', captured('chat_completions', { choices: [choice] })],
    ['a captured completion', captured('completions', { choices: [{ text: 'Four.' }] })],
    ['a captured response', captured('responses', { output: [{ content: [{ text: 'Four.' }] }] })],
    ['a captured message', captured('messages', { content: [{ text: 'Four.' }] })],
  ]

  /** Trains two trajectories with different rewards under a setting. */
  async function trainBoth(pair: readonly [object, object], allowed?: boolean) {
    const api = await open()
    const { id } = await createModel(api)
    const { job, effects } = await submit(api, id, pair, allowed)
    api.emulator.clock.advance('1m')
    return { events: await listEvents(api, job), effects: effects.join('\n') }
  }

  async function submit(
    api: Api,
    model_id: string,
    [one, other]: readonly [object, object],
    allowed?: boolean,
  ) {
    const trajectories = [
      { ...one, reward: 1 },
      { ...other, reward: 0 },
    ]
    const { body } = await api.post('/preview/training-jobs', {
      model_id,
      trajectory_groups: [{ trajectories }],
      ...(allowed !== undefined && {
        experimental_config: { allow_training_without_logprobs: allowed },
      }),
    })
    return { job: body.id as string, effects: api.emulator.requests.all().at(-1)!.effects }
  }

  it.each(forms)('are not trained if the client says so: %s', async (_what, form) => {
    const { events, effects } = await trainBoth([form, form], false)
    expect(events.map(({ type }) => type)).toEqual(['training_started', 'training_ended'])
    expect(effects).toContain(`nothing to train: ${LOGPROBS}, so the job takes no gradient steps`)
  })

  it.each(forms)('do not count beside an answer that has them: %s', async (_what, form) => {
    const { events, effects } = await trainBoth([turn(scored), form], false)
    const steps = events.filter(({ type }) => type === 'gradient_step')
    expect(steps).toMatchObject([{ data: { num_trainable_tokens: 1, num_groups_trainable: 1 } }])
    expect(effects).toContain('skips 1 of 2 answers without log probabilities')
  })

  it.each(forms)(
    'are trained without a setting, with a note, or if it allows them: %s',
    async (_what, form) => {
      const unset = await trainBoth([form, form])
      const allowed = await trainBoth([form, form], true)
      for (const { events } of [unset, allowed]) expect(events).toHaveLength(4)
      expect(unset.effects.match(/which the service may skip/g)).toHaveLength(1)
      expect(allowed.effects).not.toContain('log probabilities')
    },
  )

  it('teach a learner nothing', async () => {
    const api = await open({ scenario: 'learning-policy' })
    const { id } = await createModel(api)
    const learned = async (allowed: boolean): Promise<number> => {
      await submit(api, id, [turn(message), turn({ ...message, content: 'Five.' })], allowed)
      api.emulator.clock.advance('1m')
      return api.emulator.engine.lessons.stepsUpTo({ model: id, step: 9 })
    }
    expect([await learned(false), await learned(true)]).toEqual([0, 1])
  })
})

/** A policy that gets better with each step that counts. */
function guesser(learns_from: 'steps' | 'rewards'): ScenarioInput {
  const policy = { better: '4', worse: '5', chance: 0.5, steps: 5, learns_from }
  return { name: 'guesser', rl: { nothing_to_train: 'train' }, chat: { rules: [{ policy }] } }
}

describeInProcess('a model that learns, and a job that teaches it nothing', (open) => {
  it('says so in the journal', async () => {
    const queued = 'on my-model: 4 trajectories in 2 groups'
    const api = await open({ scenario: 'learning-policy' })
    const { types, effects, hint } = await train(api, [...equal, ...equal])
    const nothing = `nothing to train: ${EQUAL}, so the model learns nothing from the job`
    expect(types.filter((type) => type === 'gradient_step')).toHaveLength(4)
    expect(effects).toEqual([expect.stringContaining(queued), nothing])
    expect(hint).toBe(HINT)
    expect(api.emulator.trace()).toContain(`${queued}; ${nothing}`)
  })

  it('says nothing if the rewards of one group differ', async () => {
    const { types, effects, hint } = await train(await open({ scenario: 'learning-policy' }), [
      ...equal,
      { trajectories: [{ reward: 1 }, { reward: 0 }] },
    ])
    expect(types.filter((type) => type === 'gradient_step')).toHaveLength(4)
    expect(effects).toEqual([expect.stringContaining('queued RL job')])
    expect(hint).toBeUndefined()
  })

  it.each([
    ['rewards', 2],
    ['steps', 1],
  ] as const)('depends on what a policy learns from: %s', async (learnsFrom, said) => {
    const { effects } = await train(await open({ scenario: guesser(learnsFrom) }), equal)
    expect(effects).toHaveLength(said)
  })
})

describe('a job that a test starts', () => {
  it('has something to train on, for every seed', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const { gradientSteps } = await createEmulator({ clock: 'instant', seed }).jobs.start()
      expect(gradientSteps).toBe(4)
    }
  })
})

describe('rules of jobs', () => {
  const response = {
    choices: [{ message: { role: 'assistant', content: 'Hi!' }, token_ids: [1, 2] }],
  }
  const exchanges = { chat_completions: [{ response }, { response }] }
  const batch = [
    { trajectories: [{ exchanges, reward: 1 }, { exchanges }], metrics: { tries: 2 } },
    { exceptions: [exception], trajectories: [{}] },
  ]

  it.each([
    [{ exchanges: 4 }],
    [{ choices: 4, with_logprobs: 0 }],
    [{ trainable_tokens: { at_least: 8 } }],
    [{ exceptions: 1, exception_rate: 0.25 }],
    [{ 'group_metrics.tries': 2 }],
  ])('match what a batch contains: %j', async (data) => {
    const timeline = [{ event: 'training_failed' as const, error_message: 'matched' }]
    const emulator = createEmulator({
      clock: 'instant',
      scenario: { name: 'mine', jobs: [{ match: { data }, timeline }] },
    })
    const client = clientOf(emulator)
    const { id } = await createModel(client)
    const job = await startJob(client, id, batch)
    expect((await listEvents(client, job)).at(-1)!.data).toEqual({ error_message: 'matched' })
  })
})
