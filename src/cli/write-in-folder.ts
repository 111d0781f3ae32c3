import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { printable, type Terminal } from './terminal.js'
import { UsageError } from './usage-error.js'

/** Creates the folder of a file. Returns a sentence that says so, with a space in front, or an empty text if it is there. */
export async function makeFolderOf(file: string): Promise<string> {
  const folder = dirname(file)
  const isNew = (await mkdir(folder, { recursive: true })) !== undefined
  return isNew ? printable(` The folder ${folder} is new.`) : ''
}

/**
 * Checks that a file or a folder of an option can be made, with the folders that are missing. It makes nothing.
 *
 * @throws {UsageError} When something else is in the way, or is not writable.
 */
export function assertCanBeMade(option: string, path: string, kind: 'file' | 'folder'): void {
  const whole = resolve(path)
  const existing = nearestExisting(whole)
  try {
    const needed = existing === whole ? kind : 'folder'
    const isFolder = statSync(existing).isDirectory()
    // Instead of a file, there may be a pipe or a device.
    if (isFolder !== (needed === 'folder')) throw new Error(`${existing} is not a ${needed}`)
    accessSync(existing, constants.W_OK)
  } catch (error) {
    const why = (error as Error).message
    throw new UsageError(
      printable(`${option} cannot be written to ${path}: ${why}. It takes the path of a ${kind}.`),
    )
  }
}

/** The path itself, or the first folder above it that is there. */
function nearestExisting(path: string): string {
  const above = dirname(path)
  return existsSync(path) || above === path ? path : nearestExisting(above)
}

/**
 * Writes a file that is not there yet, and creates its folder.
 *
 * @returns What else to say. Undefined: there is such a file.
 */
export async function writeNew(file: string, text: string): Promise<string | undefined> {
  const also = await makeFolderOf(file)
  try {
    await writeFile(file, text, { flag: 'wx' })
    return also
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  }
}

/**
 * Writes a file, creates its folder, and says so, or why it failed.
 *
 * @param what What it is, as in `Wrote the report to …`. Without it, only the file is named.
 * @returns Whether it was written.
 */
export async function writeInFolder(
  file: string,
  { what, text }: { what?: string; text: string },
  { write, writeError }: Pick<Terminal, 'write' | 'writeError'>,
): Promise<boolean> {
  const named = printable(what === undefined ? file : `${what} to ${file}`)
  try {
    const also = await makeFolderOf(file)
    await writeFile(file, text)
    write(`Wrote ${named}.${also}`)
    return true
  } catch (error) {
    writeError(`Failed to write ${named}: ${printable((error as Error).message)}`)
    return false
  }
}
