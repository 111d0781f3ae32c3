import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { UsageError } from '../../usage-error.js'

/** The folder of a command with a copy of what it stores, for one run. */
export interface StateCopy {
  /** Where the command runs: what is at the place of the state is the copy, and everything else is the original. */
  readonly cwd: string
  /** The copy. It does not exist if the original does not. */
  readonly state: string
  /** The folder that holds all of it. A later copy can have the same, once this one is removed. */
  readonly home: string
  readonly remove: () => void
}

/**
 * Copies what a command stores, and makes a working folder around the copy. A command that names its state by a path
 * below its working folder then uses the copy. If the state is elsewhere, the working folder is the original.
 *
 * @param state The folder, absolute or as seen from the working folder.
 * @param before The `home` of a removed copy, for this one to have the same paths. Default: a new one.
 */
export function copyState(state: string, cwd: string, before?: string): StateCopy {
  const home = before ?? mkdtempSync(join(tmpdir(), 'svtrain-state-'))
  if (before !== undefined) mkdirSync(before, { mode: 0o700 })
  const remove = (): void => rmSync(home, { recursive: true, force: true })
  const original = resolve(cwd, state)
  const path = relative(cwd, original)
  const isBelow = path.split(sep)[0] !== '..' && !isAbsolute(path)
  try {
    if (!isBelow) {
      const copy = join(home, 'state')
      if (existsSync(original)) copyAll(original, copy)
      return { cwd, state: copy, home, remove }
    }
    const work = join(home, 'work')
    if (path === '') copyAll(original, work)
    else linkAround(path.split(sep), { from: cwd, to: work })
    return { cwd: work, state: join(work, path), home, remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** Makes a folder whose entries lead to those of another one, but copies the one at the end of a path. */
function linkAround(
  [name, ...rest]: readonly string[],
  { from, to }: { from: string; to: string },
): void {
  mkdirSync(to, { recursive: true })
  const entries = existsSync(from) ? readdirSync(from, { withFileTypes: true }) : []
  for (const entry of entries) {
    if (entry.name === name) continue
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    // Windows has links of folders for everyone, and of files only for some users.
    if (process.platform === 'win32' && entry.isFile()) copyFileSync(source, target)
    else symlinkSync(source, target, 'junction')
  }
  const [source, target] = [join(from, name!), join(to, name!)]
  if (rest.length > 0) return linkAround(rest, { from: source, to: target })
  if (existsSync(source)) copyAll(source, target)
}

function copyAll(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
}

/** @throws {UsageError} When it is something else than a folder. It need not be there yet. */
export function assertStateFolder(state: string): void {
  if (statSync(state, { throwIfNoEntry: false })?.isDirectory() !== false) return
  throw new UsageError(`--state takes a folder, and "${state}" is none. Name the folder around it.`)
}

/** Describes what is in a folder: names, sizes and times. Equal if nothing was written there. */
export function printOf(folder: string): string {
  if (!existsSync(folder)) return ''
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  const facts = names.map((name) => {
    const { size, mtimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {}
    return [name, size, mtimeMs]
  })
  return JSON.stringify(facts)
}
