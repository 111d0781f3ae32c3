import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The file of a data folder that has its world. */
export const WORLD_FILE = 'world.ndjson'

/** The data folder that a path names, or whose world it names. Undefined if it is something else. */
export function dataFolderAt(path: string): string | undefined {
  const folder = basename(path) === WORLD_FILE ? dirname(path) : path
  return existsSync(join(folder, WORLD_FILE)) ? folder : undefined
}

/** Says that a path is a data folder, and what leads on. Undefined if it is something else. */
export function dataFolderHint(path: string): string | undefined {
  const folder = dataFolderAt(path)
  if (folder === undefined) return undefined
  return `${folder} is a data folder. Start with --data ${folder}, and make a snapshot of it: svtrain-emulator snapshot export state.json`
}
