import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import {
  openDataFolder,
  type DataFolderLimits,
} from '../../../../src/emulator/adapters/data-folder.js'
import { compose } from '../../../../src/compose/compose.js'
import { control } from '../../../../src/compose/control.js'
import { nodeRuntime } from '../../../../src/compose/node-runtime.js'
import { loadedChecks } from '../../../../src/emulator/checks.js'
import type { Emulator } from '../../../../src/emulator/emulator.js'
import { createEmulator } from '../../../../src/index.js'
import { opened } from '../../../support/snapshots.js'
import { openEmulator } from '../../open-emulator.js'
import { folderInMemory } from '../../../support/temporary-folder.js'
import { BASE_MODEL, clientOf, type Answer } from '../../../support/api-client.js'

/** Opens a world in a folder, with limits that a test can reach. */
export function openWorld(data: string, limits: DataFolderLimits = {}): Emulator {
  const runtime = {
    ...nodeRuntime,
    checks: loadedChecks,
    control,
    openStorage: () => openDataFolder(data, loadedChecks.loaded, limits),
  }
  const emulator = compose(runtime)({ clock: 'manual' })
  onTestFinished(() => emulator.close())
  return emulator
}

export function createModel(emulator: Emulator, name: string): Promise<Answer> {
  const body = { project: 'p', name, base_model: BASE_MODEL }
  return clientOf(emulator).post('/preview/models', body)
}

/** A copy of the folder that a process leaves if it is killed now. */
export function leftBy(data: string): string {
  const left = folderInMemory()
  cpSync(data, left, { recursive: true, filter: (path) => path !== join(data, 'lock') })
  return left
}

export interface Change {
  /** Why it leaves nothing to keep, if it does not. */
  keepsNothing?: string | undefined
  /** The key of a record that is about a part of the process, and ends with it. */
  endsWithTheProcess?: string | undefined
}

/** Expects that a change is on disk when it is over: the next process finds it, if this one is killed then. */
export async function expectSaved(
  { emulator, data }: { emulator: Emulator; data: string },
  change: () => Promise<unknown>,
  { keepsNothing, endsWithTheProcess: gone }: Change = {},
): Promise<void> {
  // All that came before is saved first, so that the call saves only its own change.
  await setImmediate()
  await setImmediate()
  const before = opened(await emulator.snapshot())
  await change()
  const left = leftBy(data)
  const answered = opened(await emulator.snapshot())
  if (keepsNothing === undefined) expect(answered).not.toEqual(before)
  else expect(answered).toEqual(before)
  const next = openEmulator({ data: left, send: () => new Promise(() => {}) })
  const kept = answered.records.filter(({ key }) => gone === undefined || key !== gone)
  expect(opened(await next.snapshot())).toEqual({ ...answered, records: kept })
}

/** The records of the world that the next process finds if this one is killed now. */
export async function foundAfterKill(data: string): Promise<unknown> {
  const next = createEmulator({ data: leftBy(data), clock: 'manual' })
  const records = await recordsOf(next)
  await next.close()
  return records
}

export async function recordsOf(emulator: Emulator): Promise<unknown> {
  const { records } = await emulator.snapshot({ secrets: false })
  return records
}
