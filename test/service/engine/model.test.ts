import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import type { Job } from '../../../src/service/engine/jobs/job.js'
import { ModelState } from '../../../src/service/engine/model.js'

it('a model that is told to forget the job of another one keeps its own', () => {
  const record = { entity: 'verse', project: 'odes', base_model: 'base', run_id: 'r' }
  const poet = new ModelState({ ...record, id: 'one', name: 'poet' })
  const own = { over: true } as Job
  poet.jobs.push(own)
  poet.forget({ over: true } as Job)
  expect(poet.jobs).toEqual([own])
  poet.forget(own)
  expect(poet.jobs).toEqual([])
})

it('the next checkpoint comes after the latest one, also if there was never one of step 0', () => {
  const record = { entity: 'verse', project: 'odes', base_model: 'base', run_id: 'r' }
  const poet = new ModelState({ ...record, id: 'one', name: 'poet' })
  poet.checkpoints.add({ id: 'three', step: 3, createdAt: 0, metrics: new Map() })
  const { checkpointing } = createEmulator().engine
  expect(checkpointing.add(poet).step).toBe(4)
})
