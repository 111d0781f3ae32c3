import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { environments, type Environment } from '../python.js'
import { CAPABILITIES, type CapabilityResult } from '../sdk.js'
import { indexLine, lastLineOf, markdownTable, notesBelow, type Index } from './table.js'

export const SDK_RESULT = join(import.meta.dirname, 'sdk-result.json')

/** A version of the SDK that the matrix runs, on Python 3.12. */
export interface SdkVersion {
  readonly version: string
  readonly environment: Environment
}

/** The newest version first. Each older one sends something else than the version after it. */
export const sdkVersions: readonly SdkVersion[] = [
  { version: '0.31.0', environment: environments.wandb },
  ...['0.29.0', '0.26.1', '0.22.3', '0.19.11'].map((version) => {
    const requirements = `matrix/wandb/${version}.txt`
    return { version, environment: { oldest: 12, newest: 12, requirements } }
  }),
]

/** What became of a capability with one version. */
export interface SdkCell {
  works: boolean
  /** What does not work, or what the version does not have. */
  notes: string[]
}

export interface SdkColumn {
  version: string
  cells: Record<string, SdkCell>
}

export interface SdkResult {
  /** The names of the examples of each capability. */
  examples: Record<string, string[]>
  columns: SdkColumn[]
  index: Index
}

/** The column of a version. A capability works if each of its examples works, and nobody warns of anything. */
export function sdkColumnOf(version: string, shown: readonly CapabilityResult[]): SdkColumn {
  const cells = shown.map(({ capability, examples, strange }): [string, SdkCell] => {
    const failed = examples.flatMap(({ name, error }) =>
      error === null ? [] : [`${version}: ${name}: ${lastLineOf(error)}`],
    )
    const warned = strange.map((line) => `${version} says: ${line.slice(0, 200)}`)
    const lacks = examples.flatMap(({ name, missing }) =>
      missing === null ? [] : [`This version does not have \`${missing}\`, which "${name}" needs.`],
    )
    const works = failed.length + warned.length === 0
    return [capability, { works, notes: [...failed, ...warned, ...lacks] }]
  })
  return { version, cells: Object.fromEntries(cells) }
}

/** The column of a version that cannot be installed. */
export function sdkColumnOfFailure(version: string, why: string): SdkColumn {
  const cell = { works: false, notes: [`${version} does not run: ${why}`] }
  return { version, cells: Object.fromEntries(CAPABILITIES.map((each) => [each, cell])) }
}

export function readSdkResult(): SdkResult {
  return JSON.parse(readFileSync(SDK_RESULT, 'utf8')) as SdkResult
}

/** The table with its notes. Cells share equal notes. */
export function sdkTable({ examples, columns, index }: SdkResult): string {
  const all = columns.flatMap(({ cells }) => Object.values(cells).flatMap(({ notes }) => notes))
  const notes = [...new Set(all)]
  const cellText = ({ works, notes: own }: SdkCell): string => {
    const numbers = own.map((note) => notes.indexOf(note) + 1)
    return [works ? 'yes' : 'fails', ...numbers].join(', ')
  }
  const versions = columns.map(({ version }) => version)
  const rows = CAPABILITIES.map((capability) => [
    capability,
    examples[capability]!.join('; '),
    ...columns.map(({ cells }) => cellText(cells[capability]!)),
  ])
  return [
    markdownTable(['', 'what runs', ...versions], rows),
    ...notesBelow(notes),
    indexLine(index, versions),
  ].join('\n\n')
}
