import { readFileSync } from 'node:fs'

/** The text of a file. Undefined if there is none, or if it cannot be read. */
export function textOfFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
