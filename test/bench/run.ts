/**
 * `npm run bench`: measures, prints Markdown tables, and fails only if an answer is wrong. With `--nodes`, it
 * measures on each of these versions of Node.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { recordAnswers } from './answers.js'
import { nodeOf } from './peers/install.js'
import type { Settings } from './settings.js'
import { markdownOf, type Table } from './table.js'

/** What `--json` writes. */
interface Report extends Partial<Settings> {
  node: string
  cpu?: string | undefined
  cores: number
  tables: Table[]
}

interface Section {
  measure: (settings: Settings) => Promise<Table[]>
  /** `--quick` skips it, unless it is named. */
  slow?: boolean
  /** It runs only if it is named, because it needs the history of the repository. */
  named?: boolean
}

/** Version 0.2, and the commit before the way of a request was made shorter. */
const BASES = ['dbc81f1f', '59bdbaae']

const sections: Record<string, Section> = {
  users: {
    measure: async (settings) => (await import('./users.js')).whatUsersFeel(folder, settings),
    slow: true,
  },
  servers: {
    measure: async (settings) =>
      (await import('./servers.js')).servers(await recordAnswers(folder), settings),
  },
  'in-process': {
    measure: async (settings) => (await import('./in-process.js')).inProcess(settings),
  },
  scale: { measure: async (settings) => (await import('./scale.js')).scale(settings) },
  versions: {
    measure: async (settings) => (await import('./versions.js')).versions(folder, settings),
    named: true,
  },
  dashboard: {
    measure: async (settings) => (await import('./dashboard.js')).dashboard(settings),
    slow: true,
  },
}

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    minutes: { type: 'string' },
    calls: { type: 'string' },
    base: { type: 'string', multiple: true, default: BASES },
    json: { type: 'string' },
    nodes: { type: 'string' },
  },
})
const settings = {
  quick: flags.quick,
  rounds: Number(flags.rounds ?? (flags.quick ? 3 : 9)),
  minutes: Number(flags.minutes ?? (flags.quick ? 0.5 : 10)),
  calls: Number(flags.calls ?? (flags.quick ? 5000 : 100_000)),
  bases: flags.base,
}
const unknown = positionals.find((name) => !(name in sections))
if (unknown !== undefined || !(settings.rounds > 0 && settings.minutes > 0 && settings.calls > 0)) {
  console.error(
    `npm run bench -- [${Object.keys(sections).join('|')}]… [--quick] [--rounds <n>] [--minutes <n>] [--calls <n>] [--base <commit>]… [--nodes <20,24>] [--json <file>]`,
  )
  process.exit(2)
}
if (flags.nodes !== undefined) {
  measureOn(flags.nodes.split(','))
  process.exit()
}
const wanted = Object.entries(sections).filter(([name, { slow, named }]) => {
  return positionals.length > 0 ? positionals.includes(name) : !named && !(settings.quick && slow)
})

const folder = mkdtempSync(join(tmpdir(), 'svtrain-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true }))
const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length }
const tables: Table[] = []
for (const [name, { measure }] of wanted) {
  const start = performance.now()
  tables.push(...(await measure(settings)))
  console.error(`${name}: ${Math.round((performance.now() - start) / 1000)} s`)
  // After each part, so that a stopped run keeps its results.
  if (flags.json !== undefined) {
    const report: Report = { ...machine, ...settings, tables }
    writeFileSync(flags.json, JSON.stringify(report, null, 2))
  }
}
console.log(
  `Node ${machine.node.slice(1)}, ${machine.cores} cores (${machine.cpu}), ${settings.rounds} rounds\n`,
)
for (const table of tables) console.log(markdownOf(table))

/** Runs this file on each of these versions of Node, one after the other, with the same flags. */
function measureOn(versions: readonly string[]): void {
  // All of them are installed before anything is measured.
  const paths = versions.map(nodeOf)
  const reports = paths.map(reportOf)
  if (flags.json !== undefined) writeFileSync(flags.json, JSON.stringify(reports, null, 2))
}

function reportOf(node: string): Report {
  const scratch = mkdtempSync(join(tmpdir(), 'svtrain-bench-'))
  const json = join(scratch, 'report.json')
  const { rounds, minutes, calls, bases, quick } = settings
  const numbers = Object.entries({ rounds, minutes, calls }).map(([flag, n]) => `--${flag}=${n}`)
  const own = [...numbers, ...bases.map((base) => `--base=${base}`), `--json=${json}`]
  const args = [import.meta.filename, ...positionals, ...own, ...(quick ? ['--quick'] : [])]
  try {
    execFileSync(node, ['--expose-gc', '--import', 'tsx', ...args], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    return JSON.parse(readFileSync(json, 'utf8')) as Report
  } finally {
    rmSync(scratch, { recursive: true })
  }
}
