import { onTestFinished, describe, expect, it, vi } from 'vitest'
import { createEmulator, type Emulator, type Snapshot } from '../../src/index.js'
import type { RecordFields } from '../../src/service/engine/saved/record-fields.js'
import type { SavedPart } from '../../src/service/engine/saved/saved-part.js'
import { opened, sealed } from '../support/snapshots.js'
import { folderInMemory } from '../support/temporary-folder.js'

interface SavedNote {
  kind: 'note'
  key: string
  text: string
  due: number
}

type Engine = Emulator['engine']
type Notes = Map<string, { text: string; due: number }>

/** What an owner keeps, and its part. The list of parts gets it in one line. */
const { notesOf, savedNotes } = vi.hoisted(() => {
  const notes = new WeakMap<Engine, Notes>()
  const notesIn = (engine: Engine): Notes => {
    const known = notes.get(engine) ?? new Map()
    notes.set(engine, known)
    return known
  }
  const part: SavedPart<SavedNote, { text: string; due: number }, { engine: Engine }> = {
    kind: 'note',
    schema({ strictObject, literal, string, moment }: RecordFields) {
      return strictObject({ kind: literal('note'), key: string(), text: string(), due: moment })
    },
    all: ({ engine }) => notesIn(engine),
    records: (note, key) => [{ kind: 'note', key, ...note } satisfies SavedNote],
    restore(records, { engine }, { later }) {
      for (const { key, text, due } of records) notesIn(engine).set(key, { text, due: due + later })
    },
    isGone: ({ text }) => text === '',
    mayBeSecret: ([field]) => field === 'text',
    redact: () => undefined,
  }
  return { notesOf: notesIn, savedNotes: part }
})

vi.mock('../../src/service/engine/saved/engine-parts.js', async (load) => {
  const { engineParts } = await load<{ engineParts: readonly SavedPart[] }>()
  return { engineParts: [...engineParts, savedNotes] }
})

function open(options: Parameters<typeof createEmulator>[0] = {}): Emulator {
  const emulator = createEmulator({ clock: 'manual', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

function write({ engine }: Emulator, key: string, text: string): void {
  const note = { text, due: 5000 }
  notesOf(engine).set(key, note)
  engine.changes.changed(savedNotes, key, note)
}

async function snapshotWith(change: (note: Record<string, unknown>) => void): Promise<Snapshot> {
  const emulator = open()
  write(emulator, 'one', 'hello')
  const { records, hidden } = opened(await emulator.snapshot())
  change(hidden.find(({ kind }) => kind === 'note'))
  return sealed({ records, hidden })
}

describe('a part that somebody adds to the list', () => {
  it('is in a snapshot, and is restored from it', async () => {
    const snapshot = await snapshotWith(() => {})
    const { engine } = open({ snapshot })
    expect([...notesOf(engine)]).toEqual([['one', { text: 'hello', due: 5000 }]])
  })

  it('is in a data folder as soon as it changes', async () => {
    const data = folderInMemory()
    const emulator = open({ data })
    await emulator.ready()
    write(emulator, 'one', 'hello')
    write(emulator, 'two', 'gone soon')
    await emulator.models.create({ name: 'poet' })
    write(emulator, 'two', '')
    await emulator.close()
    const { engine } = open({ data })
    expect([...notesOf(engine).keys()]).toEqual(['one'])
  })

  it('is checked, and its secrets are in no error', async () => {
    const wrong = await snapshotWith((record) => (record.due = 'later'))
    expect(() => open().restore(wrong)).toThrow('].due: expected a number, got "later"')
    const secret = await snapshotWith((record) => (record.text = 4711))
    expect(() => open().restore(secret)).toThrow(/\].text: expected a text, got a number$/)
  })

  it('is left out of a snapshot without secrets', async () => {
    const emulator = open()
    write(emulator, 'one', 'hello')
    const { records } = await emulator.snapshot({ secrets: false })
    expect(records.filter(({ kind }) => kind === 'note')).toEqual([])
    expect(records.length).toBeGreaterThan(0)
  })
})
