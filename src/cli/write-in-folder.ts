import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { printable } from './terminal.js'

/** Writes a file, and creates its folder. Returns why it failed, for a terminal. */
export async function writeInFolder(file: string, text: string): Promise<string | undefined> {
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
    return undefined
  } catch (error) {
    return printable((error as Error).message)
  }
}
