import { basename } from 'node:path'
import types from '../types.json' with { type: 'json' }
import { readApi } from './api/read.js'
import { renderApi, withFormattedCode } from './api/render.js'

/** How an entry point ends whose name is not that of its file. */
const ENDS: Readonly<Record<string, string>> = { index: '', browser: ' (browser)' }

/** The source of each public entry point, by its name. The build makes their types. */
export function apiSources(): Record<string, string> {
  const entries = types.files.map((file) => {
    const name = basename(file, '.ts')
    return [`svtrain-emulator${ENDS[name] ?? `/${name}`}`, file.replace('../', '')]
  })
  return Object.fromEntries(entries)
}

/** Describes the TypeScript API: a list of the entry points, and a page for each, by file name. */
export async function apiPages(): Promise<Record<string, string>> {
  const pages: Record<string, string> = {}
  for (const [file, text] of Object.entries(renderApi(readApi(apiSources())))) {
    pages[`api/${file}`] = file === 'README.md' ? text : await withFormattedCode(text)
  }
  return pages
}
