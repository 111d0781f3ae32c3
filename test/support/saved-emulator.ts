import { isDeepStrictEqual } from 'node:util'
import { onTestFinished } from 'vitest'
import { compose } from '../../src/compose/compose.js'
import { control } from '../../src/compose/control.js'
import { nodeRuntime } from '../../src/compose/node-runtime.js'
import { loadedChecks } from '../../src/emulator/checks.js'
import { partOf, savedParts } from '../../src/emulator/saved-parts.js'
import type { WorldStorage } from '../../src/emulator/world-keeper.js'
import { createEmulator, Emulator, type EmulatorOptions } from '../../src/index.js'
import type { AnyRecord } from '../../src/service/engine/saved/saved-part.js'
import { wholeWorld } from '../../src/service/engine/saved/save.js'
import { readScenarioFileNow } from '../../src/service/scenario/scenario-file.js'
import { sealed } from './snapshots.js'

/**
 * Creates an emulator that saves its changes as one with a data folder does. When it closes, what was saved must be what
 * its world is: no change may be forgotten. It closes with the test.
 */
export function createSavedEmulator(options: EmulatorOptions = {}): Emulator {
  const storage = new SavedInMemory()
  const runtime = {
    ...nodeRuntime,
    Emulator,
    checks: loadedChecks,
    control,
    readScenario: readScenarioFileNow,
    ...(options.data === undefined && !options.isolate && { openStorage: () => storage }),
  }
  const emulator = compose(runtime)(options)
  storage.emulator = emulator
  onTestFinished(() => emulator.close())
  return emulator
}

/** The last record of each thing as text, by kind and key. A later change of the thing is not in it. */
type Records = Map<string, string>

class SavedInMemory implements WorldStorage {
  /** Undefined until it was created, and when it was closed. */
  emulator: Emulator | undefined
  readonly #records: Records = new Map()
  readonly #gone = new Set<string>()

  append(records: Iterable<AnyRecord>): 'saved' {
    for (const record of records) {
      const id = idOf(record)
      // A thing that comes after one that is gone is the newest.
      if (this.#gone.delete(id)) this.#records.delete(id)
      if (partOf(record.kind)?.isGone?.(record)) this.#gone.add(id)
      this.#records.set(id, JSON.stringify(record))
    }
    return 'saved'
  }

  replace(records: Iterable<AnyRecord>): void {
    this.#records.clear()
    this.#gone.clear()
    this.append(records)
  }

  /** The emulator has saved for the last time when it calls this. Nothing is saved before a world is ready. */
  close(): void {
    const { emulator } = this
    this.emulator = undefined
    if (!emulator || emulator.engine.ready) return
    const world = recordsOf(emulator)
    const saved = new Map(
      [...this.#records].filter(([id]) => id !== 'clock ' && !this.#gone.has(id)),
    )
    const isSaved = (id: string, as: Records): boolean => isSame(as.get(id), world.get(id))
    const wrong = [...saved.keys(), ...world.keys()].filter((id) => !isSaved(id, saved))
    if (wrong.length === 0) return
    // Some records are of things whose owner is gone. A world that is opened again has none of them.
    const records = Array.from(this.#records.values(), (text): unknown => JSON.parse(text))
    const snapshot = sealed({ records, hidden: [] })
    const again = createEmulator({ snapshot, clock: 'manual', send: noAnswer })
    const opened = recordsOf(again)
    void again.close()
    const lost = wrong.find((id) => !isSaved(id, opened))
    if (lost === undefined) return
    throw new Error(
      `A change was not marked as changed: ${lost}\n  saved: ${saved.get(lost)}\n  world: ${world.get(lost)}`,
    )
  }
}

const idOf = ({ kind, key = '' }: AnyRecord): string => `${kind} ${key}`
const noAnswer = (): Promise<never> => new Promise(() => {})

function recordsOf({ engine, webhooks }: Emulator): Records {
  const records = wholeWorld({ parts: savedParts, world: { engine, webhooks } })
  const texts = new Map(Array.from(records, (each) => [idOf(each), JSON.stringify(each)]))
  // It goes on.
  texts.delete('clock ')
  return texts
}

/** Whether texts are the same JSON. The order of keys does not count. */
function isSame(one: string | undefined, other: string | undefined): boolean {
  if (one === other || one === undefined || other === undefined) return one === other
  return isDeepStrictEqual(JSON.parse(one), JSON.parse(other))
}
