import { expect, it } from 'vitest'
import type { ClockMode } from '../../../src/base/clock/clock.js'
import { BASE_MODEL, type Answer } from '../../support/api-client.js'
import { chat, createModel, groups, listEvents, startJob } from '../../support/trainer.js'
import { describeTransports, type Open } from '../../support/transports.js'

const POET = { project: 'demo', name: 'poet', base_model: BASE_MODEL, return_existing: true }

/** A careful client: repeats a call while it must be paid for. */
async function patiently(
  call: () => Promise<Answer>,
  wait: () => void,
): Promise<{ statuses: number[]; answer: Answer }> {
  const statuses: number[] = []
  for (let tries = 0; ; tries++) {
    const answer = await call()
    statuses.push(answer.status)
    if (answer.status !== 402 || tries === 10) return { statuses, answer }
    wait()
  }
}

describeTransports('a client of chats', (open) => {
  it('that submits what it gets under missing-logprobs trains on less, or fails', async () => {
    const api = await open({ scenario: 'missing-logprobs' })
    const answers: Answer[] = []
    for (let each = 0; each < 4; each++) {
      answers.push(await chat(api, 'Name a color.', { logprobs: true, return_token_ids: true }))
    }
    const missing = answers.map(({ body }) => body.choices[0].logprobs === undefined)
    expect(missing).toEqual([false, true, false, false])
    const endOf = async (trajectories: object[]) => {
      const { id } = await createModel(api, { return_existing: true })
      const scored = trajectories.map((each, index) => ({ ...each, reward: index % 2 }))
      const job = await startJob(api, id, [{ trajectories: scored }])
      api.emulator.clock.advance('5s')
      const events = await listEvents(api, job)
      return [events.filter(({ type }) => type === 'gradient_step').length, events.at(-1)!.data]
    }
    const messages = answers.map(({ body }) => {
      return { messages_and_choices: [{ role: 'user', content: 'Name a color.' }, body.choices[0]] }
    })
    const exchanges = answers.map(({ body }) => {
      return { exchanges: { chat_completions: [{ request: {}, response: body }] } }
    })
    expect(await endOf(messages)).toEqual([4, {}])
    expect(await endOf([messages[1]!, messages[1]!])).toEqual([0, {}])
    expect(await endOf(exchanges)).toEqual([
      0,
      { error_message: 'Exchange trajectory is missing logprobs for trainable tokens' },
    ])
    // A careful client submits only what it can train on.
    expect(await endOf(exchanges.filter((_, index) => !missing[index]))).toEqual([3, {}])
  })
})

/** The statuses that a careful client sees, from the model to the end of its job. */
async function loop(open: Open, clock: ClockMode): Promise<string[]> {
  const api = await open({ scenario: 'payment-required-then-cleared', clock })
  const wait = () => {
    if (clock === 'manual') api.emulator.clock.advance('5s')
  }
  const seen: string[] = []
  const careful = async (name: string, call: () => Promise<Answer>): Promise<Answer['body']> => {
    const { statuses, answer } = await patiently(call, wait)
    seen.push(`${name}: ${statuses.join(' ')}`)
    return answer.body
  }
  const { id } = await careful('model', () => api.post('/preview/models', POET))
  const body = { model_id: id, trajectory_groups: groups }
  const job = await careful('job', () => api.post('/preview/training-jobs', body))
  const path = `/preview/training-jobs/${job.id}/events?limit=100`
  await careful('events', () => api.get(path))
  wait()
  await careful('events again', () => api.get(path))
  await careful('checkpoints', () => api.get(`/preview/models/${id}/checkpoints`))
  await careful('chat', () => chat(api, 'Hello', { model: 'local-team/demo/poet:step0' }))
  return seen
}

describeTransports('a careful client sees the same under every clock', (open) => {
  it('with payment-required-then-cleared, after the wait', async () => {
    for (const clock of ['manual', 'auto', 'instant'] as const) {
      const [, job, ...others] = await loop(open, clock)
      expect(job).toMatch(/^job: (?:402 )+200$/)
      expect(others.every((each) => each.endsWith(': 200'))).toBe(true)
    }
  })
})
