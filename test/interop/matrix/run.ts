import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { argv } from 'node:process'
import { promisify } from 'node:util'
import { formatted } from '../../../.build/format.js'
import { environments, prepare } from '../python.js'
import { art, sdk, type Client, type Version } from './clients.js'
import {
  lastLineOf,
  PAGE,
  pageWithTables,
  rowOf,
  rowOfFailure,
  type Index,
  type Row,
} from './table.js'

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

async function rowFor(client: Client, { version, environment }: Version): Promise<Row> {
  // The newest version shares its environment with the conformance tests.
  const [shared] = Object.entries(environments).find(([, each]) => each === environment) ?? []
  const python = await prepare(shared ?? `${client.name}-${version}`, environment)
  if (python.why !== undefined) return rowOfFailure(client, version, python.why)
  try {
    return rowOf(version, await client.run(python))
  } catch (error) {
    return rowOfFailure(client, version, lastLineOf((error as Error).message))
  }
}

/** Runs all versions. Returns whether the newest one has no note, and nothing fails that is not known. */
async function run(client: Client): Promise<boolean> {
  const rows: Row[] = []
  for (const version of client.versions) {
    const row = await rowFor(client, version)
    rows.push(row)
    const parts = Object.entries(row.parts).map(([part, works]) => `${part}: ${works}`)
    print(`${client.name} ${row.version}: ${parts.join(', ')}`)
    for (const note of row.notes) print(`  ${note}`)
  }
  const result = { rows, index: await askIndex(client.name) }
  writeFileSync(client.result, await formatted(client.result, JSON.stringify(result)))
  const fails = rows.filter(({ parts }, place) => {
    return client.versions[place]!.note === undefined && Object.values(parts).includes('fails')
  })
  return fails.length === 0 && rows[0]!.notes.length === 0
}

const [, , only] = argv
const clients = Object.entries({ art, sdk }).filter(([name]) => [undefined, name].includes(only))
let pass = true
for (const [, client] of clients) pass = (await run(client)) && pass
writeFileSync(PAGE, await pageWithTables())
if (!pass) process.exitCode = 1
