import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { knownFile, type KnownFile } from '../../base/text/evidence.js'

/** A file says what it is within so many bytes. */
const START = 2000

/** Recognizes a file by its start. Undefined: it is something else, or cannot be read. */
export function knownFileAt(path: string): KnownFile | undefined {
  let file: number | undefined
  try {
    // A pipe can be opened only once, by whoever reads all of it.
    if (!statSync(path).isFile()) return undefined
    file = openSync(path, 'r')
    const start = Buffer.alloc(START)
    const length = readSync(file, start, 0, START, 0)
    return knownFile(start.toString('utf8', 0, length), path)
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
