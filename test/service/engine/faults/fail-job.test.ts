import { expect, it } from 'vitest'
import { createEmulator } from '../../../../src/index.js'
import { submit, createModel, startJob } from '../../../support/trainer.js'
import { caller } from '../../../emulator/control/control.js'
import { describeTransports } from '../../../support/transports.js'

describeTransports('a fail_job fault', (open) => {
  it('makes the next job fail, and no other', async () => {
    const api = await open()
    const fault = api.emulator.faults.add({
      fault: 'fail_job',
      calls: 1,
      error_message: 'out of memory',
      after_steps: 2,
    })
    // Neither a read nor a refused creation is a job.
    await api.get('/preview/base-models')
    expect((await api.post('/preview/training-jobs', { model_id: 'nothing' })).status).toBe(422)
    expect(fault.hits).toBe(0)
    const { id } = await createModel(api)
    const first = await startJob(api, id)
    const second = await startJob(api, id)
    expect(fault.hits).toBe(1)
    api.emulator.clock.advance('1m')
    const job = (await api.get(`/preview/training-jobs/${first}`)).body
    expect(job).toMatchObject({ status: 'failed' })
    const { body } = await api.get(`/preview/training-jobs/${first}/events`)
    expect(body.data.map(({ type }: { type: string }) => type)).toEqual([
      'training_started',
      'gradient_step',
      'gradient_step',
      'training_failed',
    ])
    expect(body.data.at(-1).data).toEqual({ error_message: 'out of memory' })
    expect((await api.get(`/preview/training-jobs/${second}`)).body.status).toBe('ended')
    const created = api.emulator.requests.all().findLast(({ faults }) => faults.length > 0)
    expect(created).toMatchObject({
      operation: 'createRlTrainingJob',
      effects: [
        'added fault 1: the job fails: out of memory',
        expect.stringContaining('queued RL job'),
        expect.stringContaining('answers without log probabilities'),
      ],
    })
  })

  it('takes only jobs that match, and announces the usual number of sequences', async () => {
    const api = await open({
      scenario: {
        name: 'x',
        faults: [{ fault: 'fail_job', match: { model: 'poet*' }, after_steps: 0 }],
        jobs: [
          {
            timeline: [
              { event: 'training_started' },
              { event: 'stall' },
              { event: 'gradient_step', count: 5 },
              { event: 'training_ended' },
            ],
          },
        ],
      },
    })
    const poet = await submit(api.emulator, 'poet-2')
    const painter = await submit(api.emulator, 'painter')
    api.emulator.clock.advance('1m')
    expect((await api.get(`/preview/training-jobs/${poet}`)).body.status).toBe('failed')
    expect((await api.get(`/preview/training-jobs/${painter}`)).body.status).toBe('running')
    const { body } = await api.get(`/preview/training-jobs/${poet}/events`)
    expect(body.data.map(({ type, data }: { type: string; data: object }) => [type, data])).toEqual(
      [
        ['training_started', { num_sequences: 5 }],
        ['training_failed', { error_message: 'Training failed' }],
      ],
    )
  })

  it('lets the steps before come as fast as usual', async () => {
    const api = await open({
      scenario: {
        name: 'x',
        faults: [{ fault: 'fail_job', after_steps: 2 }],
        jobs: [
          {
            timeline: [
              { event: 'training_started' },
              { event: 'gradient_step', count: 20, within: '10s' },
              { event: 'training_ended' },
            ],
          },
        ],
      },
    })
    const id = await submit(api.emulator)
    api.emulator.clock.advance('1m')
    const { body } = await api.get(`/preview/training-jobs/${id}`)
    // Two steps of half a second, and the usual second before the end.
    expect(Date.parse(body.training_end) - Date.parse(body.training_start)).toBe(2000)
  })

  it('fails jobs that you create in a test or over the control API, also after a restore', async () => {
    const api = await open()
    api.emulator.faults.add({ fault: 'fail_job' })
    await api.emulator.jobs.start({ model: 'painter' })
    const call = caller(api.emulator, api.fetch)
    expect((await call('POST /jobs', { model: 'poet' })).status).toBe(200)
    await using later = createEmulator({ clock: 'manual' })
    later.restore(await api.emulator.snapshot())
    later.clock.advance('1m')
    expect(later.jobs.all.map(({ status }) => status)).toEqual(['failed', 'failed'])
  })
})
