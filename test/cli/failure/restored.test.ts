import { expect, it } from 'vitest'
import { lossesPart } from '../../../src/cli/failure/problems-part.js'
import { summaryLines, unnoticedLines } from '../../../src/cli/report/unnoticed-lines.js'
import { effectsText } from '../../../src/emulator/testing/unnoticed.js'
import { createEmulator, type EmulatorOptions } from '../../../src/index.js'
import { jsonHeaders } from '../../support/api-client.js'

it('a command is told only of what happened while it ran, not of what a snapshot brought', async () => {
  const options: EmulatorOptions = {
    scenario: 'failing-job',
    clock: 'instant',
    webhooks: [{ name: 'pager', url: 'http://receiver.test/hook', retries: [] }],
    send: () => Promise.resolve({ status: 500, body: '' }),
  }
  await using before = createEmulator(options)
  await before.jobs.start({ model: 'poet' })
  await before.webhooks.trigger('RUN_STATE', { to: 'pager' })
  await before.settle()
  expect(summaryLines(before, { chats: 0 }).join()).toContain('1 job failed')
  expect(JSON.stringify(lossesPart(before))).toContain('to pager')

  await using emulator = createEmulator({ ...options, snapshot: await before.snapshot() })
  expect(summaryLines(emulator, { chats: 0 }).join()).not.toContain('job')
  expect(lossesPart(emulator)).toEqual([])
  await emulator.jobs.start({ model: 'poet' })
  await emulator.webhooks.resend(emulator.webhooks.deliveries[0]!.id)
  expect(summaryLines(emulator, { chats: 0 }).join()).toContain('1 job ')
  expect(JSON.stringify(lossesPart(emulator))).toContain('to pager')
})

it('a command is told what is odd about its own jobs, not about those of a snapshot', async () => {
  const options: EmulatorOptions = { scenario: 'ends-without-checkpoint', clock: 'instant' }
  await using before = createEmulator(options)
  await before.jobs.start({ model: 'poet' })
  expect(effectsText([before])).toBe('1 job ended without a checkpoint')

  await using emulator = createEmulator({ ...options, snapshot: await before.snapshot() })
  expect(effectsText([emulator])).toBeUndefined()
})

it('a command is told of chats that the base model answered in place of a checkpoint', async () => {
  await using emulator = createEmulator({ scenario: 'adapter-not-applied', clock: 'instant' })
  const messages = [{ role: 'user', content: 'Hi' }]
  const ask = async (model: string): Promise<void> => {
    const init = {
      method: 'POST',
      headers: jsonHeaders(),
      body: JSON.stringify({ model, messages }),
    }
    expect((await emulator.fetch(`${emulator.trainingUrl}/chat/completions`, init)).status).toBe(
      200,
    )
  }
  await ask('example/base-8b-instruct')
  expect(effectsText([emulator])).toBeUndefined()
  await emulator.models.create({ entity: 'local-team', project: 'demo', name: 'poet' })
  await ask('wandb-artifact:///local-team/demo/poet')
  expect(effectsText([emulator])).toBe(
    '1 call of createChatCompletion got the base model in place of an adapter',
  )
})

it('a command is told of a job of an earlier run that it did not wait for', async () => {
  const options: EmulatorOptions = { clock: 'manual' }
  await using before = createEmulator(options)
  const { id } = await before.jobs.start({ model: 'poet' })
  const snapshot = await before.snapshot()

  await using impatient = createEmulator({ ...options, snapshot })
  const next = await impatient.jobs.start({ model: 'poet' })
  expect(unnoticedLines(impatient, { failed: false })).toEqual([
    `Job ${id} of an earlier run was not over when job ${next.id} of the same model was created: the model trains both.`,
  ])

  await using patient = createEmulator({ ...options, snapshot })
  await patient.settle()
  await patient.jobs.start({ model: 'poet' })
  expect(unnoticedLines(patient, { failed: false })).toEqual([])
})
