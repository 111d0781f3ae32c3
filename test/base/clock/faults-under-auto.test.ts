import { describe, expect, it } from 'vitest'
import { builtInScenarios, createEmulator, type Emulator } from '../../../src/index.js'
import { BASE_MODEL, clientOf, jsonHeaders } from '../../support/api-client.js'
import { createModel, groups, listEvents, startJob, type Event } from '../../support/trainer.js'

/** How often the newest Python client sends a reading call. */
const ATTEMPTS = 4
const RETRIED = new Set([408, 409, 429, 500, 502, 503, 504])
/** Ends a client that would poll forever. */
const MOST_POLLS = 50

/** Calls an emulator. Returns no status if the connection is lost or the answer never comes, and no body if it is not JSON. */
async function send(emulator: Emulator, method: string, target: string, body?: object) {
  const [path = '', query = ''] = target.split('?')
  const outcome = await emulator.handle('training', {
    method,
    base: 'http://127.0.0.1',
    path: `/v1/preview${path}`,
    query,
    headers: jsonHeaders(),
    body: new TextEncoder().encode(body && JSON.stringify(body)),
  })
  if (outcome.kind === 'hang') outcome.leave()
  if (outcome.kind !== 'response') return { status: undefined, body: undefined }
  return { status: outcome.status, body: parsed(outcome.body) }
}

// Tests know what they asked for.
// oxlint-disable-next-line typescript/no-explicit-any
function parsed(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Follows one job as the newest Python client does, and does not sleep. It stops at an error that it does not retry. */
async function followJob(emulator: Emulator): Promise<void> {
  /** Repeats a creation until it succeeds, as the script of a user would. */
  const create = async (path: string, body: object): Promise<string> => {
    for (;;) {
      const created = await send(emulator, 'POST', path, body)
      if (created.status === 200) return created.body.id as string
    }
  }
  const read = async (path: string) => {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const { status, body } = await send(emulator, 'GET', path)
      if (status === 200) return body
      if (status !== undefined && !RETRIED.has(status)) return undefined
    }
    return undefined
  }
  const model_id = await create('/models', {
    project: 'demo',
    name: 'poet',
    base_model: BASE_MODEL,
  })
  const job = await create('/training-jobs', { model_id, trajectory_groups: groups })
  let after: string | undefined
  for (let poll = 0; poll < MOST_POLLS; poll++) {
    // The pages of one poll have their own cursor.
    for (let cursor = after, hasMore = true; hasMore;) {
      const query = cursor === undefined ? '' : `?after=${cursor}`
      const page = await read(`/training-jobs/${job}/events${query}`)
      if (page?.data === undefined) return
      for (const { id, type } of page.data as Event[]) {
        if (type === 'training_ended' || type === 'training_failed') {
          await read(`/models/${model_id}/checkpoints?limit=1&order=desc`)
          return
        }
        if (type !== 'training_started') after = id
      }
      cursor = page.data.at(-1)?.id
      hasMore = page.has_more && cursor !== undefined
    }
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
    await followJob(emulator)
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
