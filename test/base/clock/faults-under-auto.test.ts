import { describe, expect, it } from 'vitest'
import { builtInScenarios, createEmulator, type Emulator } from '../../../src/index.js'
import { clientOf, jsonHeaders } from '../../support/api-client.js'
import { createModel, groups, listEvents, startJob, type Event } from '../../support/trainer.js'

/** How often the newest Python client sends a reading call. */
const ATTEMPTS = 4
const RETRIED = new Set([408, 409, 429, 500, 502, 503, 504])
/** Ends a client that would poll forever. */
const MOST_POLLS = 50

interface Page {
  data: { id: string; type: string }[]
  has_more?: boolean
}

/** Follows one job as the newest Python client does, and does not sleep. */
class Follower {
  readonly #emulator: Emulator

  constructor(emulator: Emulator) {
    this.#emulator = emulator
  }

  async follow(): Promise<void> {
    const model = { project: 'demo', name: 'poet', base_model: 'example/base-8b-instruct' }
    const { id } = await this.#create('/v1/preview/models', model)
    const batch = { model_id: id, trajectory_groups: groups }
    const job = await this.#create('/v1/preview/training-jobs', batch)
    if (!(await this.#poll(`/v1/preview/training-jobs/${job.id}/events`))) return
    await this.#read(`/v1/preview/models/${id}/checkpoints?limit=1&order=desc`)
  }

  /** Returns whether the client sees the end of the job. It stops at an error that it does not retry. */
  async #poll(path: string): Promise<boolean> {
    let after: string | undefined
    for (let poll = 0; poll < MOST_POLLS; poll++) {
      // The pages of one poll have their own cursor.
      let cursor = after
      for (;;) {
        const page = (await this.#read(cursor ? `${path}?after=${cursor}` : path)) as
          | Page
          | undefined
        if (page?.data === undefined) return false
        for (const { id, type } of page.data) {
          if (type === 'training_ended' || type === 'training_failed') return true
          if (type !== 'training_started') after = id
        }
        cursor = page.data.at(-1)?.id
        if (!page.has_more || cursor === undefined) break
      }
    }
    return false
  }

  /** Repeats a creation until it succeeds, as the script of a user would. */
  async #create(path: string, body: object): Promise<{ id: string }> {
    for (;;) {
      const created = await this.#send('POST', path, body)
      if (created.status === 200) return created.body as { id: string }
    }
  }

  async #read(path: string): Promise<unknown> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const { status, body } = await this.#send('GET', path)
      if (status === 200) return body
      if (status !== undefined && !RETRIED.has(status)) return undefined
    }
    return undefined
  }

  /** Returns no status if the connection is lost or the answer never comes, and no body if it is not JSON. */
  async #send(method: string, target: string, body?: object) {
    const [path, query = ''] = target.split('?')
    const outcome = await this.#emulator.handle('training', {
      method,
      base: 'http://127.0.0.1',
      path: path!,
      query,
      headers: jsonHeaders(),
      body: body ? new TextEncoder().encode(JSON.stringify(body)) : new Uint8Array(),
    })
    if (outcome.kind === 'hang') outcome.leave()
    if (outcome.kind !== 'response') return { status: undefined, body: undefined }
    return { status: outcome.status, body: parsed(outcome.body) }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const JOB_READS = ['getTrainingJob', 'listTrainingJobEvents']

/** Whether a fault can change a call that reads a job. */
function changesJobReads({ fault, match }: (typeof builtInScenarios)[number]['faults'][number]) {
  if (typeof match === 'function') return true
  const {
    operation = '*',
    method = 'GET',
    judge = false,
  } = match as {
    operation?: string | string[]
    method?: string
    judge?: boolean
  }
  if (judge || fault === 'job_limit') return false
  if (![method].flat().includes('GET')) return false
  return [operation].flat().some((name) => name === '*' || JOB_READS.includes(name))
}

describe('under the auto clock, the newest client meets the faults of', () => {
  const scenarios = builtInScenarios.filter(({ faults }) => faults.some(changesJobReads))

  it.each(scenarios.map(({ name }) => name))('%s while it follows a job', async (scenario) => {
    const emulator = createEmulator({ scenario, clock: 'auto' })
    await new Follower(emulator).follow()
    const effects = emulator.journal.entries.flatMap((entry) => {
      return entry.kind === 'request' && JOB_READS.includes(entry.operation!) ? entry.effects : []
    })
    expect(effects.length).toBeGreaterThan(0)
  })
})

it('shows the checkpoints on the way, one after the other, under the auto clock', async () => {
  const emulator = createEmulator({ scenario: 'checkpoints-on-the-way', clock: 'auto' })
  const client = clientOf(emulator)
  const { id } = await createModel(client)
  const job = await startJob(client, id)
  const counts: number[] = []
  let last: Event | undefined
  while (last?.type !== 'training_ended') {
    last = (await listEvents(client, job, last?.id)).at(-1)
    counts.push((await client.get(`/preview/models/${id}/checkpoints`)).body.data.length)
  }
  expect(counts).toEqual([1, 2, 3, 4])
})
