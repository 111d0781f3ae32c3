import { expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/index.js'
import { observe } from '../../../src/tools/explore/observe.js'
import { nextStep, startSteps } from '../../../src/tools/explore/stepped.js'
import { clientOf } from '../../support/api-client.js'
import { createModel, startJob } from '../../support/trainer.js'

/** Asks something. A call that hangs is left. */
async function ask({ fetch, trainingUrl, engine }: Emulator): Promise<void> {
  const leaving = new AbortController()
  const body = JSON.stringify({
    model: 'example/base-8b-instruct',
    messages: [{ role: 'user', content: 'Name a color.' }],
  })
  const headers = { authorization: 'Bearer any-key', 'content-type': 'application/json' }
  const { signal } = leaving
  const options = { method: 'POST', headers, body, signal }
  let isOver = false
  const end = (): void => void (isOver = true)
  const answer = fetch(`${trainingUrl}/chat/completions`, options).then(end, end)
  await expect.poll(() => isOver || engine.delayed.hanging > 0).toBe(true)
  leaving.abort()
  await answer
}

/** Explores code that asks so often with `chat-hangs`. It is stopped after its last chat. */
async function exploredWith(chats: number) {
  await using emulator = createEmulator()
  let step = await startSteps(emulator, { only: ['chat-hangs'], checks: {} })
  while (step.trial) {
    const isFirst = step.trial.number === 1
    for (let left = isFirst ? 1 : chats; left > 0; left--) await ask(emulator)
    step = await nextStep(emulator, { ended: isFirst ? 'success' : 'timeout' })
  }
  return step.report
}

it('is no failure to be stopped while giving up on calls and going on', async () => {
  const { failures, skipped, untried } = await exploredWith(5)
  expect(failures).toEqual([])
  const why =
    /^2 calls hung\. The code gave up on 1 and went on, but did not end within \S+\. A longer timeout tells more\.$/
  expect(skipped).toContainEqual({ name: 'chat-hangs', reason: expect.stringMatching(why) })
  expect(untried?.reason).toMatch(/^No fault was tried to its end\. chat-hangs: 2 calls hung\. /)
})

it('is a failure if the code left the call only because it was stopped', async () => {
  const { failures } = await exploredWith(2)
  expect(failures).toMatchObject([{ verdict: 'hung', title: NO_ANSWER }])
})

const NO_ANSWER = 'createChatCompletion got no answer, and the code did not give up'

it('takes it for a hang if the code gave up on calls of another operation', async () => {
  await using emulator = createEmulator()
  emulator.faults.add({
    fault: 'hang',
    match: { operation: ['createChatCompletion', 'listBaseModels'] },
  })
  const list = (): Promise<unknown> => {
    const signal = AbortSignal.timeout(20)
    const headers = { authorization: 'Bearer any-key' }
    return emulator
      .fetch(`${emulator.trainingUrl}/preview/base-models`, { headers, signal })
      .catch(() => {})
  }
  await ask(emulator)
  await list()
  const api = clientOf(emulator)
  await createModel(api, 'poet')
  expect(observe(emulator).gaveUp).toBe('2 calls hung. The code gave up on 2 and went on')
  expect(observe(emulator, { hanging: 1 }).gaveUp).toBeUndefined()
})

it('knows that a call hangs although others beside it were answered', async () => {
  await using emulator = createEmulator()
  emulator.faults.add({ fault: 'hang', calls: 1 })
  await ask(emulator)
  await ask(emulator)
  expect(observe(emulator, { hanging: 0 }).pending).toEqual([])
  expect(observe(emulator, { hanging: 1 }).pending).toEqual([
    { kind: 'call', text: 'createChatCompletion got no answer' },
  ])
})

it('knows a job that is given up by the job that comes after its last poll', async () => {
  await using emulator = createEmulator({ scenario: 'stuck-job', clock: 'instant' })
  const api = clientOf(emulator)
  const { id } = await createModel(api, 'poet')
  const poll = (job: string) => api.get(`/preview/training-jobs/${job}/events`)
  const first = await startJob(api, id)
  await poll(first)
  expect(observe(emulator).gaveUp).toBeUndefined()
  const second = await startJob(api, id)
  await poll(second)
  expect(observe(emulator).gaveUp).toBe('2 jobs did not end. The code gave up on 1 and went on')
  // It waits for both.
  await poll(first)
  expect(observe(emulator).gaveUp).toBeUndefined()
})
