import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatted } from '../../../.build/format.js'
import { artTable, readArtResult } from './art-table.js'
import { readSdkResult, sdkTable } from './sdk-table.js'

export const PAGE = join(import.meta.dirname, '..', '..', '..', 'docs', 'how-to', 'clients.md')

/** The page with the tables of the last results in the places of its old tables. */
export async function pageWithTables(): Promise<string> {
  const page = readFileSync(PAGE, 'utf8')
  const withArt = replaced(page, 'matrix', artTable(readArtResult()))
  return formatted(PAGE, replaced(withArt, 'matrix of wandb', sdkTable(readSdkResult())))
}

function replaced(page: string, name: string, table: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`${PAGE} has no lines ${begin} and ${end}`)
  return `${before}${begin}\n\n${table}\n\n${end}${after}`
}
