import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Used } from '../use.js'
import { versions, type Version } from './art-versions.js'
import { indexLine, lastLineOf, markdownTable, notesBelow, type Index } from './table.js'

export const ART_RESULT = join(import.meta.dirname, 'art-result.json')

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

/** The row of a version that ran. A part works if each example that the version has for it works. */
export function rowOf({ version, python }: Version, { examples }: Used): Row {
  const parts = PARTS.map((part) => {
    const ran = examples.filter((each) => each.part === part && each.missing === null)
    if (ran.some(({ error }) => error !== null)) return [part, 'fails'] as const
    return [part, ran.length > 0 ? 'yes' : 'no'] as const
  })
  const missing = new Set(examples.map((each) => each.missing).filter((each) => each !== null))
  const notes: string[] = []
  if (missing.size > 0) notes.push(`Missing: ${[...missing].join(', ')}.`)
  for (const { name, error } of examples) {
    if (error !== null) notes.push(`Fails: ${name}: ${lastLineOf(error)}`)
  }
  return { version, python: `3.${python}`, parts: Object.fromEntries(parts), notes }
}

/** The row of a version that cannot be installed, or does not start. */
export function rowOfFailure({ version, python }: Version, why: string): Row {
  const parts = Object.fromEntries(PARTS.map((part) => [part, 'fails' as const]))
  return { version, python: `3.${python}`, parts, notes: [`Does not run: ${why}`] }
}

export function readArtResult(): Result {
  return JSON.parse(readFileSync(ART_RESULT, 'utf8')) as Result
}

const code = (text = ''): string => (text === '' ? '' : `\`${text}\``)

function known(version: string): Partial<Version> {
  return versions.find((each) => each.version === version) ?? {}
}

/** The table with its notes. Rows share equal notes. */
export function artTable({ rows, index }: Result): string {
  const notesOf = ({ version, notes }: Row): string[] => {
    const { note } = known(version)
    return note === undefined ? notes : [note, ...notes]
  }
  const notes = [...new Set(rows.flatMap(notesOf))]
  const cells = rows.map((row) => [
    row.version,
    row.python,
    code(known(row.version).beside),
    ...PARTS.map((part) => row.parts[part]!),
    notes.flatMap((note, place) => (notesOf(row).includes(note) ? [place + 1] : [])).join(', '),
  ])
  return [
    markdownTable(['version', 'Python', 'also install', ...PARTS, 'notes'], cells),
    ...notesBelow(notes),
    indexLine(
      index,
      rows.map(({ version }) => version),
    ),
  ].join('\n\n')
}
