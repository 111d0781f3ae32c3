import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../stamp.js'
import { readApi } from './api/read.js'
import { renderApi } from './api/render.js'

interface Target {
  readonly types?: string
  readonly browser?: Target
}

/** The source of each public entry point, by its name. `exports` in package.json lists them. */
export function apiSources(): Record<string, string> {
  const text = readFileSync(join(root, 'package.json'), 'utf8')
  const { name, exports } = JSON.parse(text) as { name: string; exports: Record<string, Target> }
  const found: Record<string, string> = {}
  const add = (entry: string, { types, browser }: Target): void => {
    if (types !== undefined)
      found[entry] = types.replace('./dist/types/', '').replace('.d.ts', '.ts')
    if (browser) add(`${entry} (browser)`, browser)
  }
  for (const [path, target] of Object.entries(exports)) add(name + path.slice(1), target)
  return found
}

/** Describes the TypeScript API: a list of the entry points, and a page for each, by file name. */
export function apiPages(): Record<string, string> {
  const pages = Object.entries(renderApi(readApi(apiSources())))
  return Object.fromEntries(pages.map(([file, text]) => [`api/${file}`, text]))
}
