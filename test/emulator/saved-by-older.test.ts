import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/index.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { bearer } from '../support/api-client.js'

/**
 * Older versions wrote these folders and snapshots, loaded each snapshot again, and recorded what they
 * answered then: `answers.txt`. They must never be written again by a later version.
 */
const fixtures = join(import.meta.dirname, '..', 'fixtures')

const options: EmulatorOptions = {
  clock: 'manual',
  send: ({ body }) => Promise.resolve({ status: body.length % 2 === 0 ? 200 : 500, body: 'heard' }),
}

describe.each([
  ['0.1', 'busy'],
  ['0.1', 'scripted'],
  ['0.2', 'wires'],
])('version %s saved the world "%s", which', (version, name) => {
  const saved = join(fixtures, `saved-by-${version}`, name)
  const expected = readFileSync(join(saved, 'answers.txt'), 'utf8')

  it('loads from a snapshot and gives the same answers, now and an hour later', async () => {
    await using emulator = createEmulator({ ...options, snapshot: snapshotIn(saved) })
    expect(answersIn(await answersOf(emulator))).toMatchObject(answersIn(expected))
  })

  it('loads from a data folder and gives the same answers, now and an hour later', async () => {
    await using emulator = createEmulator({ ...options, data: dataIn(saved) })
    expect(answersIn(await answersOf(emulator))).toMatchObject(answersIn(expected))
  })
})

describe('a world of version 0.2 whose scenario turns removed wires on', () => {
  const wires = join(fixtures, 'saved-by-0.2', 'wires')
  const note =
    'the key "extensions" of the saved scenario was removed in 0.3: the service has no such wire; leave it out, and send chats to /v1/chat/completions.'
  const notesOf = ({ journal }: Emulator): string[] => {
    return journal.entries.flatMap((entry) => (entry.kind === 'note' ? [entry.text] : []))
  }

  it.each<[string, () => Emulator]>([
    [
      'is loaded from a snapshot',
      () => createEmulator({ ...options, snapshot: snapshotIn(wires) }),
    ],
    ['replaces another world', () => restored(snapshotIn(wires))],
    ['is loaded from a data folder', () => createEmulator({ ...options, data: dataIn(wires) })],
  ])('%s, and the journal says what is gone', async (_how, open) => {
    await using emulator = open()
    expect(notesOf(emulator)).toEqual([note])
    expect(emulator.scenario).not.toHaveProperty('extensions')
  })

  it('is saved again without them, and the journal says nothing', async () => {
    await using emulator = createEmulator({ ...options, snapshot: snapshotIn(wires) })
    await using again = createEmulator({ ...options, snapshot: await emulator.snapshot() })
    expect(notesOf(again)).toEqual([])
  })
})

function restored(snapshot: unknown): Emulator {
  const emulator = createEmulator(options)
  emulator.restore(snapshot)
  return emulator
}

function snapshotIn(folder: string): unknown {
  return JSON.parse(readFileSync(join(folder, 'snapshot.json'), 'utf8'))
}

/** Copies a data folder, because the emulator writes to it. */
function dataIn(folder: string): string {
  const data = temporaryFolder()
  cpSync(join(folder, 'world.ndjson'), join(data, 'world.ndjson'))
  return data
}

/** Reads answers, so that those of a later version may have more fields than those that an older one recorded. */
function answersIn(text: string): object[] {
  return text.split('\n').map((line) => {
    const [, call, body] = /^(GET \S+ \d+) (.*)$/.exec(line) ?? []
    return body === undefined ? { line } : { call, body: JSON.parse(body) as unknown }
  })
}

/** What a client sees of all jobs, checkpoints and deliveries, at once and after an hour. */
async function answersOf(emulator: Emulator): Promise<string> {
  const jobs = emulator.jobs.all
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
