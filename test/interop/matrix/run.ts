import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { argv } from 'node:process'
import { promisify } from 'node:util'
import { formatted } from '../../../.build/format.js'
import { environments, prepare } from '../python.js'
import { showCapabilities } from '../sdk.js'
import { use } from '../use.js'
import { ART_RESULT, PARTS, rowOf, rowOfFailure, type Row } from './art-table.js'
import { versions, type Version } from './art-versions.js'
import { PAGE, pageWithTables } from './page.js'
import {
  SDK_RESULT,
  sdkColumnOf,
  sdkColumnOfFailure,
  sdkVersions,
  type SdkColumn,
  type SdkResult,
} from './sdk-table.js'
import { lastLineOf, type Index } from './table.js'

/**
 * Runs every version of two clients against the emulator, and writes the tables of docs/how-to/clients.md.
 * A version that cannot be installed, or does not start, is in a table as well. `npm run interop:matrix -- sdk` runs
 * the versions of the SDK alone, and `-- art` those of the other client.
 */

const execute = promisify(execFile)
const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** Asks the index that pip is set up for. */
async function askIndex(name: string): Promise<Index> {
  const python = await prepare('newest', environments.newest)
  if (python.why !== undefined) return { why: python.why }
  const asked = ['-m', 'pip', 'index', 'versions', name, '--disable-pip-version-check']
  try {
    const { stdout } = await execute(python.command, [...asked, '--retries', '0'])
    const [first = ''] = stdout.split('\n')
    const [, newest] = /^\S+ \((.+)\)$/.exec(first) ?? []
    if (newest === undefined) return { why: 'it named no version' }
    return { newest, on: new Date().toISOString().slice(0, 10) }
  } catch (error) {
    const said = (error as { stderr?: string }).stderr ?? (error as Error).message
    return { why: lastLineOf(said) }
  }
}

async function runArt(): Promise<boolean> {
  const rows: Row[] = []
  for (const version of versions) {
    const row = await artRow(version)
    rows.push(row)
    const parts = PARTS.map((part) => `${part}: ${row.parts[part]}`).join(', ')
    print(`openpipe-art ${row.version} on Python ${row.python}: ${parts}`)
    for (const note of row.notes) print(`  ${note}`)
  }
  await write(ART_RESULT, { rows, index: await askIndex('openpipe-art') })
  return rows[0]!.notes.length === 0
}

async function artRow(version: Version): Promise<Row> {
  // The newest version shares its environment with the conformance tests.
  const name = version === versions[0] ? 'newest' : `matrix-${version.version}`
  const python = await prepare(name, version.environment)
  if (python.why !== undefined) return rowOfFailure(version, python.why)
  try {
    return rowOf(version, await use(python, 'art_client.py'))
  } catch (error) {
    return rowOfFailure(version, lastLineOf((error as Error).message))
  }
}

async function runSdk(): Promise<boolean> {
  const columns: SdkColumn[] = []
  const examples: SdkResult['examples'] = {}
  for (const { version, environment } of sdkVersions) {
    const name = environment === environments.wandb ? 'wandb' : `wandb-${version}`
    const python = await prepare(name, environment)
    if (python.why === undefined) {
      const shown = await showCapabilities(python.command)
      for (const each of shown) {
        examples[each.capability] = each.examples.map((example) => example.name)
      }
      columns.push(sdkColumnOf(version, shown))
    } else {
      columns.push(sdkColumnOfFailure(version, python.why))
    }
    const cells = Object.entries(columns.at(-1)!.cells)
    const parts = cells.map(([part, { works }]) => `${part}: ${works ? 'yes' : 'fails'}`)
    print(`wandb ${version}: ${parts.join(', ')}`)
    for (const note of new Set(cells.flatMap(([, { notes }]) => notes))) print(`  ${note}`)
  }
  await write(SDK_RESULT, { examples, columns, index: await askIndex('wandb') })
  return columns.every(({ cells }) => Object.values(cells).every(({ works }) => works))
}

async function write(file: string, result: object): Promise<void> {
  writeFileSync(file, await formatted(file, JSON.stringify(result)))
}

const [, , only] = argv
const passed = [only === 'sdk' || (await runArt()), only === 'art' || (await runSdk())]
writeFileSync(PAGE, await pageWithTables())
if (passed.includes(false)) process.exitCode = 1
