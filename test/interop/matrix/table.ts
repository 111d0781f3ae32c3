import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatted } from '../../../.build/format.js'
import { art, examplesOfSdk, sdk, type Client, type Part } from './clients.js'

type Works = 'yes' | 'no' | 'fails'

/** What became of one version of a client. */
export interface Row {
  version: string
  parts: Record<string, Works>
  /** What does not work, and why. */
  notes: string[]
}

/** What the package index said about newer versions. */
export type Index = { newest: string; on: string } | { why: string }

export interface Result {
  rows: Row[]
  index: Index
}

/** The row of a version that ran. A part works if each example that the version has for it works. */
export function rowOf(version: string, ran: readonly Part[]): Row {
  const parts = ran.map(({ part, examples, strange }): [string, Works] => {
    const had = examples.filter(({ missing }) => missing === null)
    if (strange.length > 0 || had.some(({ error }) => error !== null)) return [part, 'fails']
    return [part, had.length > 0 ? 'yes' : 'no']
  })
  const examples = ran.flatMap((part) => part.examples)
  const missing = new Set(examples.map((each) => each.missing).filter((each) => each !== null))
  const notes: string[] = []
  if (missing.size > 0) notes.push(`Missing: ${[...missing].join(', ')}.`)
  for (const { name, error } of examples) {
    if (error !== null) notes.push(`Fails: ${name}: ${lastLineOf(error)}`)
  }
  for (const { part, strange } of ran) {
    for (const line of strange) notes.push(`Says: ${part}: ${line.slice(0, 200)}`)
  }
  return { version, parts: Object.fromEntries(parts), notes }
}

/** The row of a version that cannot be installed, or does not start. */
export function rowOfFailure({ parts }: Client, version: string, why: string): Row {
  const failed = parts.map((part) => [part, 'fails'] as const)
  return { version, parts: Object.fromEntries(failed), notes: [`Does not run: ${why}`] }
}

export function lastLineOf(error: string): string {
  return error.trim().split('\n').at(-1)!.slice(0, 200)
}

export function readResult({ result }: Client): Result {
  return JSON.parse(readFileSync(result, 'utf8')) as Result
}

/** The table of a client with its notes. Versions share equal notes. */
function tableOf(client: Client): string {
  const { rows, index } = readResult(client)
  const columns = rows.map((row) => {
    const { python, beside, note } = client.versions.find((each) => each.version === row.version)!
    return { ...row, python, beside, notes: note === undefined ? row.notes : [note, ...row.notes] }
  })
  const notes = [...new Set(columns.flatMap((column) => column.notes))]
  const line = (name: string, cells: readonly string[], listed = ''): string[] => {
    return [name, ...(client.listsExamples ? [listed] : []), ...cells]
  }
  const versions = rows.map(({ version }) => version)
  const lines = [
    line('', versions, 'what runs'),
    ...client.parts.map((part) => {
      const cells = columns.map(({ parts }) => parts[part]!)
      return line(part, cells, client.listsExamples ? examplesOfSdk(part) : '')
    }),
    line(
      'Python',
      columns.map(({ python }) => `3.${python}`),
    ),
    line(
      'also install',
      columns.map(({ beside }) => (beside === undefined ? '' : `\`${beside}\``)),
    ),
    line(
      'notes',
      columns.map((column) =>
        notes.flatMap((note, place) => (column.notes.includes(note) ? [place + 1] : [])).join(', '),
      ),
    ),
  ].filter(([, ...cells]) => cells.some((cell) => cell !== ''))
  const [head, ...body] = lines.map((cells) => `| ${cells.join(' | ')} |`)
  return [
    [head, head!.replaceAll(/[^|]+/g, ' --- '), ...body].join('\n'),
    ...(notes.length === 0
      ? []
      : [`Notes:\n\n${notes.map((note, place) => `${place + 1}. ${note}`).join('\n')}`]),
    indexLine(index, versions),
  ].join('\n\n')
}

/** Says whether the newest version is in a table. */
export function indexLine(index: Index, versions: readonly string[]): string {
  if ('why' in index)
    return `Newer versions may exist: the package index did not answer (${index.why}).`
  return `On ${index.on}, the newest version on the package index was ${index.newest}. ${
    versions.includes(index.newest) ? 'It is in this table.' : 'It has not been tested.'
  }`
}

export const PAGE = join(import.meta.dirname, '..', '..', '..', 'docs', 'how-to', 'clients.md')

/** The page with the tables of the last results in the places of its old tables. */
export async function pageWithTables(): Promise<string> {
  let page = readFileSync(PAGE, 'utf8')
  for (const client of [art, sdk]) {
    const [begin, end] = [`<!-- ${client.table} -->`, `<!-- end of ${client.table} -->`]
    const [before, rest] = page.split(begin)
    const after = rest?.split(end)[1]
    if (after === undefined) throw new Error(`${PAGE} has no lines ${begin} and ${end}`)
    page = `${before}${begin}\n\n${tableOf(client)}\n\n${end}${after}`
  }
  return formatted(PAGE, page)
}
