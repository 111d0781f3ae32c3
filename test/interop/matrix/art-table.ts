import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatted } from '../../../.build/format.js'
import type { Used } from '../use.js'
import type { Version } from './versions.js'

export const PAGE = join(import.meta.dirname, '..', '..', '..', 'docs', 'clients.md')
export const RESULT = join(import.meta.dirname, 'result.json')

/** The parts of a training loop, in the order of the columns. */
export const PARTS = [
  'register',
  'rollout',
  'train',
  'checkpoints',
  'log',
  'SFT',
  'delete',
] as const

/** What became of one version. */
export interface Row {
  version: string
  python: string
  parts: Record<string, 'yes' | 'no' | 'fails'>
  /** What does not work, and why. */
  notes: string[]
}

export interface Result {
  rows: Row[]
  index: Index
}

/** What the package index said about newer versions. */
export type Index = { newest: string; on: string } | { why: string }

/** The row of a version that ran. A part works if each example that the version has for it works. */
export function rowOf({ version, python, note }: Version, { examples }: Used): Row {
  const parts = PARTS.map((part) => {
    const ran = examples.filter((each) => each.part === part && each.missing === null)
    if (ran.some(({ error }) => error !== null)) return [part, 'fails'] as const
    return [part, ran.length > 0 ? 'yes' : 'no'] as const
  })
  const missing = new Set(examples.map((each) => each.missing).filter((each) => each !== null))
  const notes = note === undefined ? [] : [note]
  if (missing.size > 0) notes.push(`Missing: ${[...missing].join(', ')}.`)
  for (const { name, error } of examples) {
    if (error !== null) notes.push(`Fails: ${name}: ${lastLineOf(error)}`)
  }
  return { version, python: `3.${python}`, parts: Object.fromEntries(parts), notes }
}

/** The row of a version that cannot be installed, or does not start. */
export function rowOfFailure({ version, python, note }: Version, why: string): Row {
  const parts = Object.fromEntries(PARTS.map((part) => [part, 'fails' as const]))
  const notes = [...(note === undefined ? [] : [note]), `Does not run: ${why}`]
  return { version, python: `3.${python}`, parts, notes }
}

export function lastLineOf(error: string): string {
  return error.trim().split('\n').at(-1)!.slice(0, 200)
}

export function readResult(): Result {
  return JSON.parse(readFileSync(RESULT, 'utf8')) as Result
}

/** The page with the table of a result in the place of its old table. */
export async function pageWith(result: Result): Promise<string> {
  const page = readFileSync(PAGE, 'utf8')
  const [begin, end] = ['<!-- matrix -->', '<!-- end of matrix -->']
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`${PAGE} has no lines ${begin} and ${end}`)
  const text = `${before}${begin}\n\n${tableOf(result)}\n\n${footerOf(result)}\n\n${end}${after}`
  return formatted(PAGE, text)
}

/** Notes are below the table, because a cell has only a few words. Rows share equal notes. */
function tableOf({ rows }: Result): string {
  const notes = [...new Set(rows.flatMap((row) => row.notes))]
  const head = ['version', 'Python', ...PARTS, 'notes']
  const lines = rows.map((row) => [
    row.version,
    row.python,
    ...PARTS.map((part) => row.parts[part]!),
    notes.flatMap((note, index) => (row.notes.includes(note) ? [index + 1] : [])).join(', '),
  ])
  const table = [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`)
  return [table.join('\n'), ...(notes.length > 0 ? [listOf(notes)] : [])].join('\n\n')
}

function listOf(notes: readonly string[]): string {
  return `Notes:\n\n${notes.map((note, index) => `${index + 1}. ${note}`).join('\n')}`
}

export function footerOf({ rows, index }: Result): string {
  if ('why' in index)
    return `Newer versions may exist: the package index did not answer (${index.why}).`
  const tested = rows.some(({ version }) => version === index.newest)
  return `On ${index.on}, the newest version on the package index was ${index.newest}. ${
    tested ? 'It is in this table.' : 'It has not been tested.'
  }`
}
