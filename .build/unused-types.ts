import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The files that a declaration file imports, as `import('./x.js')` or `from './x.js'`. */
const IMPORT = /(?:from|import)\s*\(?\s*["'](\.[^"']+)\.js["']/g

/**
 * Removes the declaration files that no entry point needs. The compiler writes one for each source file, and most
 * of them are only about code inside of functions. The entry points are the files of the folder itself.
 */
export function removeUnusedTypes(folder: string): void {
  const used = new Set<string>()
  const open = readdirSync(folder)
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => join(folder, name))
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (used.has(file)) continue
    used.add(file)
    const text = readFileSync(file, 'utf8')
    for (const [, path] of text.matchAll(IMPORT)) open.push(`${join(dirname(file), path)}.d.ts`)
  }
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name)
    if (name.endsWith('.d.ts') && !used.has(file)) rmSync(file)
  }
}
