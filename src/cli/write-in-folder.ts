import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { printable } from './terminal.js'

/** Creates the folder of a file. Returns a sentence that says so, with a space in front, or an empty text if it is there. */
export async function makeFolderOf(file: string): Promise<string> {
  const folder = dirname(file)
  const isNew = (await mkdir(folder, { recursive: true })) !== undefined
  return isNew ? printable(` The folder ${folder} is new.`) : ''
}

/**
 * Writes a file, and creates its folder.
 *
 * @returns Why it failed, or what else to say, both for a terminal.
 */
export async function writeInFolder(
  file: string,
  text: string,
): Promise<{ problem?: string; also: string }> {
  try {
    const also = await makeFolderOf(file)
    await writeFile(file, text)
    return { also }
  } catch (error) {
    return { problem: printable((error as Error).message), also: '' }
  }
}
