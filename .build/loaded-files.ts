import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const dist = join(import.meta.dirname, '..', 'dist')

/** Returns the text of a file of the built package. */
export function builtFile(file: string): string {
  return readFileSync(join(dist, file), 'utf8')
}

/** How a file names those that it loads at once. */
export const AT_START = /(?:from|import) ?["'`]\.\/([\w-]+\.js)["'`]/g
/** How a file names those that it loads later. */
export const LATER = /import\(["'`]\.\/([\w-]+\.js)["'`]\)/g

/** How many bytes of code a program of the built package reads before it does anything. */
export function bytesAtStart(entry: string): number {
  return loadedFiles(entry, AT_START).reduce((sum, file) => sum + builtFile(file).length, 0)
}

/** Returns a file of the built package and all files that it loads, at any depth. */
export function loadedFiles(entry: string, ...patterns: readonly RegExp[]): string[] {
  const found = new Set([entry])
  for (const file of found) {
    const text = builtFile(file)
    for (const pattern of patterns) for (const [, next] of text.matchAll(pattern)) found.add(next!)
  }
  return [...found]
}
