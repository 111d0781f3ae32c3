import { expect, it } from 'vitest'
import { createEmulator, type ScenarioInput } from '../../src/index.js'
import { describeTransports, type Api, type Open } from '../support/transports.js'
import { createModel, groups, startJob } from '../support/trainer.js'
import { BASE_MODEL, bearer, clientOf, jsonHeaders } from '../support/api-client.js'

/** Some of everything: random faults, noise, jitter, bad pages, aliases, late checkpoints. */
const scenario: ScenarioInput = {
  name: 'everything',
  extends: 'happy-path',
  jobs: [
    {
      timeline: [
        { event: 'training_started' },
        {
          event: 'gradient_step',
          jitter: '300ms',
          metrics: { loss: { curve: 'cosine', from: 2, to: 1, noise: 0.1 } },
          spoil: [{ at: 2, metric: 'entropy', with: 'null' }],
        },
        { event: 'training_ended', checkpoint: { served_after: '2s' } },
      ],
    },
  ],
  faults: [
    { fault: 'status', status: 503, probability: 0.2, per: 'model', match: { method: 'GET' } },
    { fault: 'page_overlap', calls: { every: 3 } },
  ],
  timeline: [{ after: { event: 'training_ended' }, wait: '1s', do: 'add_alias', alias: 'good' }],
}

/** Runs one model, and records the status, the relevant headers and the bytes of every answer. */
async function run(api: Api, name: string): Promise<string[]> {
  const lines: string[] = []
  const { trainingUrl } = api.emulator
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await api.fetch(trainingUrl + path, {
      method,
      headers: jsonHeaders(),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    lines.push(
      `${method} ${path} ${response.status} ${response.headers.get('content-type')} ${text}`,
    )
    return response.ok ? (JSON.parse(text) as Record<string, never>) : undefined
  }
  const model = { project: 'p', name, base_model: BASE_MODEL }
  const { id } = (await call('POST', '/preview/models', model))!
  const job = (await call('POST', '/preview/training-jobs', {
    model_id: id,
    trajectory_groups: groups,
  }))!
  for (let poll = 0; poll < 25; poll++) {
    await call('GET', `/preview/training-jobs/${String(job.id)}/events?limit=3`)
  }
  await call('GET', `/preview/models/${String(id)}/checkpoints`)
  for (const suffix of [':step1', ':good', '']) {
    const served = `artifact:///local-team/p/${name}${suffix}`
    await call('POST', '/chat/completions', {
      model: served,
      messages: [{ role: 'user', content: 'hi' }],
      logprobs: true,
    })
  }
  return lines
}

const transcript = async (open: Open, seed = 1): Promise<string> => {
  const delivered: string[] = []
  const api = await open({
    scenario,
    clock: 'auto',
    seed,
    webhooks: [{ url: 'http://receiver.test/hook', secret: 'shared-with-the-receiver' }],
    send({ url, headers, body }) {
      const text = new TextDecoder().decode(body)
      delivered.push(`POST ${url} ${headers['X-Service-Signature']} ${text}`)
      return Promise.resolve({ status: 200, body: '' })
    },
  })
  const lines = await run(api, 'poet')
  await api.emulator.webhooks.idle()
  return [...lines, ...delivered, ''].join('\n')
}

describeTransports('the same scenario, seed and requests', (open) => {
  it('give the same bytes, on every transport, every time', async () => {
    const first = await transcript(open)
    await expect(first).toMatchFileSnapshot('../golden/transcripts/everything.txt')
    expect(await transcript(open)).toBe(first)
    expect(await transcript(open, 2)).not.toBe(first)
  })
})

it("requests in another order do not change a job's own events", async () => {
  const events = async (order: readonly string[]): Promise<string> => {
    const emulator = createEmulator({ scenario: { ...scenario, faults: [] }, clock: 'manual' })
    const client = clientOf(emulator)
    const jobs = new Map<string, string>()
    for (const name of order) {
      jobs.set(name, await startJob(client, (await createModel(client, name)).id))
    }
    emulator.clock.advance('1m')
    const path = `/preview/training-jobs/${jobs.get('poet')}/events`
    const answer = await emulator.fetch(emulator.trainingUrl + path, { headers: bearer() })
    return answer.text()
  }
  const alone = await events(['poet'])
  expect(await events(['painter', 'poet'])).toBe(alone)
  expect(await events(['poet', 'dancer', 'painter'])).toBe(alone)
})
