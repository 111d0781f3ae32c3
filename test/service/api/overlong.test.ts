import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createEmulator, type ScenarioInput } from '../../../src/index.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { chat, createModel, listEvents, startJob } from '../../support/trainer.js'
import { describeInProcess, type Api } from '../../support/transports.js'

const short = 'The sea is calm.'
const long = 'The sea is calm, and so is the ship. '.repeat(20)
const limited: ScenarioInput = {
  name: 'limited',
  rl: { most_tokens: 100 },
  sft: { most_tokens: 100 },
}

const talk = (content: string) => [
  { role: 'user', content: 'Write about the sea.' },
  { role: 'assistant', content },
]

/** Trajectories with these answers, and the rewards 0, 1 and so on. */
function answering(...contents: readonly string[]) {
  return contents.map((content, reward) => ({ messages_and_choices: talk(content), reward }))
}

/** Trains on groups, and returns the events of the job with their data. */
async function train(api: Api, groups: readonly object[]) {
  const { id } = await createModel(api, { return_existing: true })
  const events = await eventsOf(api, await startJob(api, id, groups))
  const { data } = (await api.get(`/preview/models/${id}/checkpoints?order=desc`)).body
  return { events, metrics: data[0].metrics }
}

async function eventsOf(api: Api, job: string) {
  api.emulator.clock.advance('1m')
  return (await listEvents(api, job)).map(({ type, data }) => [type, data] as const)
}

function effectsOf({ emulator }: Api, operation: string): readonly string[] {
  return emulator.requests.all().find((each) => each.operation === operation)!.effects
}

describeInProcess('trajectories that are too long', (open) => {
  it('are dropped, and the job says how many', async () => {
    const api = await open({ scenario: limited })
    const message = { role: 'assistant', content: long }
    const choice = { message, finish_reason: 'stop', index: 0 }
    const trajectories = [
      ...answering(short, short, long),
      { messages_and_choices: [...talk(short).slice(0, 1), choice], reward: 1 },
    ]
    const { events, metrics } = await train(api, [{ trajectories }])
    const dropped = { num_dropped_trajectories: 2 }
    expect(events[0]).toEqual(['training_started', { num_sequences: 2, ...dropped }])
    expect(events[1]).toEqual([
      'gradient_step',
      expect.objectContaining({ ...dropped, num_trajectories: 2, reward: 0.5 }),
    ])
    expect(events.map(([type]) => type).slice(1)).toEqual([
      'gradient_step',
      'gradient_step',
      'training_ended',
    ])
    expect(metrics).toMatchObject({ 'train/num_dropped_trajectories': 2 })
    expect(effectsOf(api, 'createRlTrainingJob').at(-1)).toBe(
      'dropped 2 trajectories with more than 100 tokens',
    )
  })

  it('leave nothing to train if no others are in their group', async () => {
    const api = await open({ scenario: limited })
    const trajectories = answering(long, long)
    const { events, metrics } = await train(api, [{ trajectories }])
    expect(events).toEqual([
      ['training_started', { num_sequences: 0, num_dropped_trajectories: 2 }],
      ['training_ended', {}],
    ])
    expect(metrics).toMatchObject({
      'train/num_groups_submitted': 1,
      'train/num_groups_trainable': 0,
      'train/num_dropped_trajectories': 2,
    })
  })

  it('are found in additional histories and in captured calls', async () => {
    const api = await open({ scenario: limited })
    const { body } = await chat(api.inference, long)
    const captured = { request: {}, response: body }
    const trajectories = [
      ...answering(short, short),
      {
        messages_and_choices: talk(short),
        additional_histories: [{ messages_and_choices: talk(long) }],
      },
      { exchanges: { chat_completions: [captured] } },
    ]
    const { events } = await train(api, [{ trajectories }])
    expect(events[0]![1]).toEqual({ num_sequences: 2, num_dropped_trajectories: 2 })
  })

  it('are dropped from jobs that a test starts, and match rules of jobs', async () => {
    const timeline = [{ event: 'training_failed' as const, error_message: 'too long' }]
    const jobs = [{ match: { data: { dropped: { above: 0 } } }, timeline }]
    const { emulator } = await open({ scenario: { ...limited, jobs } })
    const trajectories = answering(short, short, long)
    const job = await emulator.jobs.start({ trajectory_groups: [{ trajectories }] })
    emulator.clock.advance('1m')
    expect(job.errorMessage).toBe('too long')
  })
})

describeInProcess('SFT examples that are too long', (open) => {
  it('are dropped, and the job says how many', async () => {
    const api = await open({ scenario: limited })
    const url = join(temporaryFolder(), 'train.jsonl')
    const rows = [short, long, short, long, short].map((text) => {
      return JSON.stringify({ messages: talk(text) })
    })
    await writeFile(url, rows.join('\n'))
    const { id } = await createModel(api)
    const asked = { model_id: id, training_data_url: url }
    const { body } = await api.post('/preview/sft-training-jobs', asked)
    const events = await eventsOf(api, body.id)
    expect(events[0]).toEqual([
      'training_started',
      { num_sequences: 3, num_dropped_trajectories: 2 },
    ])
    expect(events[1]![1]).toMatchObject({ gradient_step: 1, num_dropped_trajectories: 2 })
    expect(effectsOf(api, 'createSftTrainingJob')).toEqual([
      expect.stringContaining('3 examples in 3 batches'),
      'dropped 2 examples with more than 100 tokens',
    ])
  })
})

it('has no limit by default, and refuses one of 0 tokens', async () => {
  await using emulator = createEmulator({ clock: 'manual' })
  const trajectories = answering(long, long)
  const job = await emulator.jobs.start({ trajectory_groups: [{ trajectories }] })
  emulator.clock.advance('1m')
  expect(job.status).toBe('ended')
  expect(job.events[1]!.data).not.toHaveProperty('num_dropped_trajectories')
  const scenario = { name: 'x', rl: { most_tokens: 0 } }
  expect(() => createEmulator({ scenario })).toThrow(/rl\.most_tokens/)
})
