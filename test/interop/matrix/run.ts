import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { formatted } from '../../../.build/format.js'
import { prepare } from '../python.js'
import { use } from '../use.js'
import {
  footerOf,
  lastLineOf,
  pageWith,
  PAGE,
  PARTS,
  RESULT,
  rowOf,
  rowOfFailure,
  type Index,
  type Row,
} from './table.js'
import { versions, type Version } from './versions.js'

/**
 * Runs every version of the client against the emulator, and writes the table of docs/clients.md.
 * A version that cannot be installed, or does not start, is a row of the table as well.
 */

const execute = promisify(execFile)

async function rowFor(version: Version): Promise<Row> {
  // The newest version shares its environment with the conformance tests.
  const name = version === versions[0] ? 'newest' : `matrix-${version.version}`
  const python = await prepare(name, version.environment)
  if (python.why !== undefined) return rowOfFailure(version, python.why)
  try {
    return rowOf(version, await use(python.command, 'art_client.py'))
  } catch (error) {
    return rowOfFailure(version, lastLineOf((error as Error).message))
  }
}

/** Asks the index that pip is set up for, from a Python that every version runs on. */
async function askIndex(): Promise<Index> {
  const [{ environment }] = versions as [Version, ...Version[]]
  const python = await prepare('newest', environment)
  if (python.why !== undefined) return { why: python.why }
  const asked = ['-m', 'pip', 'index', 'versions', 'openpipe-art', '--disable-pip-version-check']
  try {
    const { stdout } = await execute(python.command, [...asked, '--retries', '0'])
    const newest = /^openpipe-art \((.+)\)$/m.exec(stdout)?.[1]
    if (newest === undefined) return { why: 'it named no version' }
    return { newest, on: new Date().toISOString().slice(0, 10) }
  } catch (error) {
    const said = (error as { stderr?: string }).stderr ?? (error as Error).message
    return { why: lastLineOf(said) }
  }
}

const index = await askIndex()
const rows: Row[] = []
for (const version of versions) {
  const row = await rowFor(version)
  rows.push(row)
  const parts = PARTS.map((part) => `${part}: ${row.parts[part]}`).join(', ')
  process.stdout.write(`${row.version} on Python ${row.python}: ${parts}\n`)
  for (const note of row.notes) process.stdout.write(`  ${note}\n`)
}
const result = { rows, index }
writeFileSync(RESULT, await formatted(RESULT, JSON.stringify(result)))
writeFileSync(PAGE, await pageWith(result))
process.stdout.write(`${footerOf(result)}\n`)
if (rows[0]!.notes.length > 0) process.exitCode = 1
