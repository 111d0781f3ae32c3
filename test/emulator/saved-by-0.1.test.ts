import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/index.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { bearer } from '../support/api-client.js'

/**
 * Version 0.1 wrote these folders and snapshots, loaded each snapshot again, and recorded what it
 * answered then: `answers.txt`. They must never be written again by a later version.
 */
const saved = join(import.meta.dirname, '..', 'fixtures', 'saved-by-0.1')

const options: EmulatorOptions = {
  clock: 'manual',
  send: ({ body }) => Promise.resolve({ status: body.length % 2 === 0 ? 200 : 500, body: 'heard' }),
}

describe.each(['busy', 'scripted'])('the world "%s" that version 0.1 saved', (name) => {
  const expected = readFileSync(join(saved, name, 'answers.txt'), 'utf8')

  it('loads from a snapshot and gives the same answers, now and an hour later', async () => {
    const snapshot: unknown = JSON.parse(readFileSync(join(saved, name, 'snapshot.json'), 'utf8'))
    await using emulator = createEmulator({ ...options, snapshot })
    expect(await answersOf(emulator)).toBe(expected)
  })

  it('loads from a data folder and gives the same answers, now and an hour later', async () => {
    const data = temporaryFolder()
    cpSync(join(saved, name, 'world.ndjson'), join(data, 'world.ndjson'))
    await using emulator = createEmulator({ ...options, data })
    expect(await answersOf(emulator)).toBe(expected)
  })
})

/** What a client sees of all jobs, checkpoints and deliveries, at once and after an hour. */
async function answersOf(emulator: Emulator): Promise<string> {
  const { store } = emulator.engine
  const jobs = [...store.jobs.values()]
  const paths = [
    ...jobs.flatMap(({ id }) => [
      `/preview/training-jobs/${id}`,
      `/preview/training-jobs/${id}/events?limit=100`,
    ]),
    ...[...new Set(jobs.map(({ model }) => model.id))].map(
      (id) => `/preview/models/${id}/checkpoints`,
    ),
  ]
  const look = async (): Promise<string[]> => {
    const lines = [`now ${new Date(emulator.clock.now()).toISOString()}`]
    for (const path of paths) {
      const headers = bearer(emulator.apiKey)
      const answer = await emulator.fetch(emulator.trainingUrl + path, { headers })
      lines.push(`GET ${path} ${answer.status} ${await answer.text()}`)
    }
    for (const { id, status, attempts, text } of emulator.webhooks.deliveries) {
      lines.push(`delivery ${id} ${status} ${attempts.length} ${text}`)
    }
    return lines
  }
  const now = await look()
  emulator.clock.advance('1h')
  await emulator.webhooks.idle()
  return `${[...now, ...(await look())].join('\n')}\n`
}
