import { describe, expect, it } from 'vitest'
import { createEmulator, type ScenarioInput } from '../../../src/index.js'
import { describeInProcess, type Api } from '../../support/transports.js'
import { chat as ask, createModel, listEvents, startJob } from '../../support/trainer.js'

type Entry = NonNullable<ScenarioInput['timeline']>[number]

const scenario = (timeline: Entry[], more: Partial<ScenarioInput> = {}) => ({
  name: 'x',
  timeline,
  ...more,
})

const chat = async (api: Api, suffix: string, name = 'my-model'): Promise<number> => {
  const model = `artifact:///local-team/my-project/${name}${suffix}`
  return (await ask(api.inference, 'hi', { model })).status
}

async function steps(api: Api, modelId: string): Promise<number[]> {
  const { body } = await api.get(`/preview/models/${modelId}/checkpoints`)
  return body.data.map(({ step }: { step: number }) => step)
}

describeInProcess('the timeline of a scenario', (open) => {
  it('adds, removes and names checkpoints at given times', async () => {
    const api = await open({
      scenario: scenario([
        { at: '10s', do: 'add_checkpoint', model: 'my-*' },
        { at: '20s', do: 'add_alias', alias: 'production' },
        { at: '30s', do: 'delete_checkpoint', step: 0 },
        { at: '40s', do: 'evict_checkpoint' },
      ]),
    })
    const { id } = await createModel(api)
    api.emulator.clock.advance('10s')
    expect(await steps(api, id)).toEqual([0, 1])
    expect(await chat(api, ':production')).toBe(404)
    api.emulator.clock.advance('10s')
    expect(await chat(api, ':production')).toBe(200)
    api.emulator.clock.advance('10s')
    expect(await steps(api, id)).toEqual([1])
    api.emulator.clock.advance('10s')
    expect(await steps(api, id)).toEqual([1])
    expect(await chat(api, ':step1')).toBe(404)
    expect((await api.inference.get('/models')).body.data).toHaveLength(2)
  })

  it('acts after events of certain models and jobs', async () => {
    const api = await open({
      scenario: scenario([
        { after: { event: 'gradient_step', step: 2, ordinal: 1 }, wait: '500ms', do: 'stall_job' },
        { after: { event: 'gradient_step', step: 2, ordinal: 1 }, wait: '1m', do: 'resume_job' },
        {
          after: { event: 'training_started', model: 'other' },
          do: 'fail_job',
          error_message: 'no such luck',
        },
        { after: { event: 'training_ended', occurrence: 2 }, do: 'add_alias', alias: 'second' },
      ]),
    })
    const { id } = await createModel(api)
    const job = await startJob(api, id)
    const next = await startJob(api, id)
    const other = await startJob(api, (await createModel(api, 'other')).id)
    api.emulator.clock.advance('10s')
    expect(await listEvents(api, job)).toHaveLength(3)
    expect((await listEvents(api, other)).at(-1)!.data.error_message).toBe('no such luck')
    api.emulator.clock.advance('70s')
    expect((await listEvents(api, job)).at(-1)!.type).toBe('training_ended')
    expect(await chat(api, ':second')).toBe(200)
    expect((await listEvents(api, next)).at(-1)!.type).toBe('training_ended')
    expect(await steps(api, id)).toEqual([0, 1, 2])
  })

  it('notes only what it did', async () => {
    const api = await open({
      scenario: scenario([
        { at: '1s', do: 'resume_job' },
        { at: '2s', do: 'stall_job' },
        { at: '3s', do: 'stall_job' },
        { at: '4s', do: 'resume_job' },
      ]),
    })
    const job = await startJob(api, (await createModel(api)).id)
    api.emulator.clock.advance('5s')
    const notes = api.emulator.journal.entries.flatMap((entry) => {
      return entry.kind === 'note' ? entry.text : []
    })
    const name = `my-model: job ${job.slice(0, 8)}`
    expect(notes).toEqual([`${name} stalls`, `${name} resumes`])
  })

  it('acts after chats of trained models, before the client has the answer', async () => {
    const after = {
      event: 'chat_answered',
      model: 'poet',
      occurrence: { from: 2, every: 3 },
    } as const
    const api = await open({ scenario: scenario([{ after, do: 'add_checkpoint' }]) })
    const { id } = await createModel(api, 'poet')
    await createModel(api, 'painter')
    const latest: number[] = []
    for (let chats = 1; chats <= 6; chats++) {
      expect(await chat(api, ':latest', 'painter')).toBe(200)
      expect(await chat(api, ':latest', 'poet')).toBe(200)
      latest.push((await steps(api, id)).at(-1)!)
    }
    expect(latest).toEqual([0, 1, 1, 1, 2, 2])
    const answered = api.emulator.requests.all().flatMap(({ effects }) => {
      return effects.flatMap((effect) => /poet at step \d/.exec(effect) ?? [])
    })
    // The chat after which a checkpoint appears is still answered by the one before.
    expect(answered.map((each) => Number(each.at(-1)))).toEqual([0, 0, 1, 1, 1, 2])
  })

  it('acts some time after a chat, and goes on counting after a restore', async () => {
    const after = { event: 'chat_answered' as const, step: 0, occurrence: [2, 3] }
    const api = await open({ scenario: scenario([{ after, wait: '5s', do: 'add_checkpoint' }]) })
    const { id } = await createModel(api, 'poet')
    await chat(api, ':step0', 'poet')
    api.emulator.restore(await api.emulator.snapshot())
    await chat(api, ':step0', 'poet')
    expect(await steps(api, id)).toEqual([0])
    api.emulator.clock.advance('5s')
    expect(await steps(api, id)).toEqual([0, 1])
    await chat(api, ':step1', 'poet')
    await chat(api, ':step0', 'poet')
    api.emulator.clock.advance('5s')
    expect(await steps(api, id)).toEqual([0, 1, 2])
  })

  it('acts on the job that it names, though another one is current', async () => {
    const fails = { do: 'fail_job', ordinal: 2, error_message: 'out of memory' } as const
    const api = await open({ scenario: scenario([{ at: '1s', ...fails }]) })
    const { id } = await createModel(api)
    const [first, second] = [await startJob(api, id), await startJob(api, id)]
    api.emulator.clock.advance('5m')
    expect((await listEvents(api, first)).at(-1)!.type).toBe('training_ended')
    expect((await listEvents(api, second)).at(-1)!.data.error_message).toBe('out of memory')
  })

  it.each(['instant', 'auto', 'manual'] as const)(
    'has done what is due with a new model before its answer, under the clock %s',
    async (clock) => {
      const entry: Entry = { after: { event: 'model_created' }, do: 'add_checkpoint' }
      const api = await open({ scenario: scenario([entry, entry]), clock })
      const { id } = await createModel(api)
      const { body } = await api.get(`/preview/models/${id}/checkpoints`)
      expect(body.data.map(({ step }: { step: number }) => step)).toEqual([0, 1, 2])
    },
  )

  it('lets the auto clock skip to the resume of a polled job', async () => {
    const entry: Entry = {
      after: { event: 'training_started' },
      wait: '30s',
      do: 'finish_job',
    }
    const jobs = [
      { timeline: [{ event: 'training_started' as const }, { event: 'never' as const }] },
    ]
    const api = await open({ scenario: scenario([entry], { jobs }), clock: 'auto' })
    const job = await startJob(api, (await createModel(api)).id)
    const polls = [await listEvents(api, job), await listEvents(api, job)]
    expect(polls.map((events) => events.at(-1)!.type)).toEqual([
      'training_started',
      'training_ended',
    ])
  })

  it('ends with the world, and with the scenario', async () => {
    const api = await open({ scenario: scenario([{ at: '10s', do: 'add_checkpoint' }]) })
    api.emulator.reset('happy-path')
    const { id } = await createModel(api)
    api.emulator.clock.advance('20s')
    expect(await steps(api, id)).toEqual([0])
    expect(api.emulator.clock.pending).toBe(0)
  })

  it('acts again after a function of the scenario threw', async () => {
    let calls = 0
    const loss = () => {
      if (calls++ === 0) throw new Error('no loss')
      return 1
    }
    const job = [
      { event: 'training_started' },
      { event: 'gradient_step', metrics: { loss } },
      { event: 'training_ended' },
    ] as const
    const api = await open({
      scenario: scenario([{ after: { event: 'training_started' }, do: 'finish_job' }], {
        jobs: [{ timeline: [...job] }],
      }),
    })
    const { jobs, clock } = api.emulator
    await jobs.start({ model: 'poet' })
    expect(() => clock.advance('1s')).toThrow('no loss')
    await jobs.start({ model: 'painter' })
    clock.advance('1s')
    expect(jobs.all.map(({ status }) => status)).toEqual(['running', 'ended'])
  })

  it('cannot loop: no entry can trigger itself', async () => {
    const api = await open({
      scenario: scenario([
        { after: { event: 'checkpoint_added' }, do: 'add_alias', alias: 'newest' },
        { after: { event: 'alias_added' }, do: 'add_checkpoint' },
      ]),
    })
    const { id } = await createModel(api)
    api.emulator.clock.advance('1m')
    expect(await steps(api, id)).toEqual([0, 1])
  })
})

describe('a checkpoint', () => {
  describeInProcess('before it is served', (open) => {
    const checkpoint = { served_after: '10s', evicted_after: '20s' }
    const timeline = [{ event: 'training_ended' as const, checkpoint }]

    it('is found at the next try if the clock skips time', async () => {
      const api = await open({ scenario: { name: 'x', jobs: [{ timeline }] }, clock: 'auto' })
      const { id } = await createModel(api)
      await listEvents(api, await startJob(api, id))
      expect([await chat(api, ':step1'), await chat(api, ':step1')]).toEqual([404, 200])
    })
  })

  describeInProcess('that expires', (open) => {
    const timeline = [
      { event: 'training_ended' as const, after: '1s', checkpoint: { expires_after: '1h' } },
    ]

    it('expires after a restore at the same time, unless it was deleted before', async () => {
      const api = await open({ scenario: { name: 'x', jobs: [{ timeline }] } })
      const { id } = await createModel(api)
      await startJob(api, id)
      api.emulator.clock.advance('30m')
      const saved = await api.emulator.snapshot()
      await api.delete(`/preview/models/${id}/checkpoints`, { steps: [1] })
      expect(api.emulator.clock.pending).toBe(0)
      api.emulator.restore(saved)
      expect(await steps(api, id)).toEqual([0, 1])
      api.emulator.clock.advance('31m')
      expect(await steps(api, id)).toEqual([0])
      expect(api.emulator.trace()).toContain('my-model: checkpoint 1 has expired')
      api.emulator.restore(await api.emulator.snapshot())
      expect(await steps(api, id)).toEqual([0])
      expect(api.emulator.clock.pending).toBe(0)
    })

    it('can be added by a test, and goes with its model', async () => {
      const api = await open()
      const { id } = await createModel(api)
      await api.emulator.checkpoints.add({ expires_after: '1m' })
      await api.delete(`/preview/models/${id}`)
      api.emulator.clock.advance('2m')
      expect(api.emulator.journal.entries.some(({ kind }) => kind === 'note')).toBe(false)
    })
  })
})

describe('a timeline entry', () => {
  it.each<[string, object, string]>([
    ['without a when', { do: 'add_checkpoint' }, 'timeline[0]: expected either at or after'],
    [
      'of an unknown fault',
      { at: '1s', do: 'open_fault', fault: 'x' },
      'there is no fault named "x"',
    ],
    ['of an unknown kind', { at: '1s', do: 'open_falt' }, 'Did you mean "open_fault"'],
    [
      'after an odd occurrence',
      { after: { event: 'chat_answered', occurrence: 'first' }, do: 'add_checkpoint' },
      'timeline[0].after.occurrence: expected the number of an event, a list of numbers, or { from: 1, to: 3, every: 2 }',
    ],
  ])('that is %s is refused', (_name, entry, message) => {
    const broken = { name: 'x', timeline: [entry] } as ScenarioInput
    expect(() => createEmulator({ scenario: broken })).toThrow(message)
  })
})
