import { expect, it } from 'vitest'
import type { ClockMode } from '../../../src/base/clock/clock.js'
import { jsonHeaders, BASE_MODEL, type Answer } from '../../support/api-client.js'
import { chat, createModel, groups, listEvents, startJob } from '../../support/trainer.js'
import { describeTransports, type Api, type Open } from '../../support/transports.js'

const POET = { project: 'demo', name: 'poet', base_model: BASE_MODEL, return_existing: true }

/** A careful client: repeats a call while its status is one that passes. */
async function patiently(
  call: () => Promise<Answer>,
  { passing, wait = () => {} }: { passing: readonly number[]; wait?: () => void },
): Promise<{ statuses: number[]; answer: Answer }> {
  const statuses: number[] = []
  for (let tries = 0; ; tries++) {
    const answer = await call()
    statuses.push(answer.status)
    if (!passing.includes(answer.status) || tries === 10) return { statuses, answer }
    wait()
  }
}

/** Asks a base model, and gives up when the signal says so. */
async function ask(
  api: Api,
  more: object = {},
  signal: AbortSignal | null = null,
): Promise<string> {
  const response = await api.fetch(`${api.emulator.inferenceUrl}/chat/completions`, {
    method: 'POST',
    headers: jsonHeaders(),
    body: JSON.stringify({
      model: BASE_MODEL,
      messages: [{ role: 'user', content: 'Name a color.' }],
      ...more,
    }),
    signal,
  })
  return response.text()
}

/** Asks as a client with a timeout, whose time is over once the answer hangs. Returns its error. */
async function askUntilItHangs(api: Api, more: object = {}): Promise<string> {
  const timeout = new AbortController()
  const failing = ask(api, more, timeout.signal).catch(String)
  await expect.poll(() => api.emulator.engine.delayed.hanging, { timeout: 30_000 }).toBe(1)
  timeout.abort()
  return failing
}

describeTransports('a client of chats', (open) => {
  it.each([
    ['chat-hangs', {}, ['Blue.', 'Green.']],
    ['chat-stalls-mid-stream', { stream: true }, ['[DONE]', '[DONE]']],
  ])('that has a timeout gets every answer under %s', async (scenario, more, [first, last]) => {
    const api = await open({ scenario })
    expect(await ask(api, more)).toContain(first)
    expect(await askUntilItHangs(api, more)).toContain('abort')
    expect(await ask(api, more)).toContain(last)
    await expect.poll(() => api.emulator.engine.delayed.hanging, { timeout: 4000 }).toBe(0)
  })

  it('that has no timeout waits under chat-hangs until the emulator closes', async () => {
    const api = await open({ scenario: 'chat-hangs' })
    await ask(api)
    const waiting = chat(api.inference, 'Hello')
    await expect(api.emulator.settle(waiting, { within: '100ms' })).rejects.toThrow(
      '1 response hangs',
    )
    await Promise.all([
      expect(waiting).rejects.toThrow(/terminated|failed|closed|network|Failed to fetch/i),
      api.emulator.close(),
    ])
  })

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
async function loop(open: Open, scenario: string, clock: ClockMode): Promise<string[]> {
  const api = await open({ scenario, clock })
  const wait = () => {
    if (clock === 'manual') api.emulator.clock.advance('5s')
  }
  const passing = scenario === 'stray-400' ? [400, 500, 524] : [402, 404, 500, 524]
  const seen: string[] = []
  const careful = async (name: string, call: () => Promise<Answer>): Promise<Answer['body']> => {
    const { statuses, answer } = await patiently(call, { passing, wait })
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
  const expected: Readonly<Record<string, readonly string[]>> = {
    'model-creation-fails': ['model: 500 524 200', 'job: 200', 'events: 200', 'events again: 200'],
    'not-found-at-first': [
      'model: 200',
      'job: 404 200',
      'events: 404 200',
      'events again: 404 200',
      'checkpoints: 404 200',
      'chat: 200',
    ],
    'stray-400': [
      'model: 200',
      'job: 200',
      'events: 400 200',
      'events again: 200',
      'checkpoints: 400 200',
      'chat: 200',
    ],
  }
  it.each(Object.entries(expected))('with %s', async (scenario, statuses) => {
    for (const clock of ['manual', 'auto', 'instant'] as const) {
      expect((await loop(open, scenario, clock)).slice(0, statuses.length)).toEqual(statuses)
    }
  })

  it('with payment-required-then-cleared, after the wait', async () => {
    for (const clock of ['manual', 'auto', 'instant'] as const) {
      const [, job, ...others] = await loop(open, 'payment-required-then-cleared', clock)
      expect(job).toMatch(/^job: (?:402 )+200$/)
      expect(others.every((each) => each.endsWith(': 200'))).toBe(true)
    }
  })
})
