import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Emulator, EmulatorOptions, Snapshot } from '../../src/index.js'
import type { AnyPart, KeyedRecord, SavedPart } from '../../src/service/engine/saved/saved-part.js'
import { opened, sealed } from '../support/snapshots.js'
import { folderInMemory } from '../support/temporary-folder.js'

interface SavedNote {
  text: string
  due: number
}

type Engine = Emulator['engine']
type Notes = Map<string, SavedNote>
type NoteRecord = KeyedRecord<'note', SavedNote>

/** What an owner keeps. */
const notes = new WeakMap<Engine, Notes>()

function notesOf(engine: Engine): Notes {
  const known: Notes = notes.get(engine) ?? new Map()
  notes.set(engine, known)
  return known
}

const savedNotes: SavedPart<NoteRecord, SavedNote, { engine: Engine }> = {
  kind: 'note',
  fields: ({ string, moment }) => ({ text: string(), due: moment }),
  all: ({ engine }) => notesOf(engine),
  content: (note) => note,
  restore(records, { engine }, { later }) {
    for (const { key, text, due } of records) notesOf(engine).set(key, { text, due: due + later })
  },
  isGone: ({ text }) => text === '',
  mayBeSecret: ([field]) => field === 'text',
  redact: () => undefined,
}

// The files of a suite share their modules. This one loads its own, whose list of parts has one more.
const list = '../../src/service/engine/saved/engine-parts.js'
vi.resetModules()
vi.doMock(list, async (load) => {
  const { engineParts } = await load<{ engineParts: readonly AnyPart[] }>()
  return { engineParts: [...engineParts, savedNotes] }
})
const { createEmulator } = await import('../../src/index.js')

afterAll(() => {
  vi.doUnmock(list)
  vi.resetModules()
})

function open(options: EmulatorOptions = {}): Emulator {
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
