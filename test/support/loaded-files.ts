import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const dist = join(import.meta.dirname, '..', '..', 'dist')

/** Returns the text of a file of the built package. */
export function builtFile(file: string): string {
  return readFileSync(join(dist, file), 'utf8')
}

/** How a file names those that it loads at once. */
export const AT_START = /(?:from|import) ?["'`]\.\/([\w-]+\.js)["'`]/g
/** How a file names those that it loads later. */
export const LATER = /import\(["'`]\.\/([\w-]+\.js)["'`]\)/g

/** Returns a file of the built package and all files that it loads, at any depth. */
export function loadedFiles(entry: string, ...patterns: readonly RegExp[]): string[] {
  const found = new Set([entry])
  for (const file of found) {
    const text = builtFile(file)
    for (const pattern of patterns) for (const [, next] of text.matchAll(pattern)) found.add(next!)
  }
  return [...found]
}
