import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { UsageError } from '../usage-error.js'

/** The bytes of a file, or of stdin where none is named, or `-`. Raises `UsageError`. */
export async function readBytes(file: string | undefined): Promise<Uint8Array> {
  if (file === undefined || file === '-') return buffer(process.stdin)
  try {
    return await readFile(file)
  } catch (error) {
    throw new UsageError(`Failed to read ${file}: ${(error as Error).message}.`)
  }
}
