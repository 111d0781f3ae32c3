/**
 * `npm run bench`: measures, prints Markdown tables, and fails only if an answer is wrong. With `--nodes`, it
 * measures on each of these versions of Node.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { recordAnswers, type Answers } from './answers.js'
import { newerNode, nodeOf, runsOn } from './peers/install.js'
import type { Settings } from './settings.js'
import { joinTables, markdownOf, type Table } from './table.js'

/** What `--json` writes. */
interface Report extends Partial<Settings> {
  node: string
  cpu?: string | undefined
  cores: number
  tables: Table[]
}

interface Section {
  measure: (settings: Settings, answers: () => Promise<Answers>) => Promise<Table[]>
  /** The lowest Node version that all of its rows need. */
  needs?: string
  /** `--quick` skips it, unless it is named. */
  slow?: boolean
  /** It runs only if it is named, because it needs the history of the repository. */
  named?: boolean
}

/** Version 0.2, and the commit before the way of a request was made shorter. */
const BASES = ['dbc81f1f', '59bdbaae']

const sections: Record<string, Section> = {
  users: {
    measure: async (settings, answers) =>
      (await import('./users.js')).whatUsersFeel((await answers()).folder, settings),
    slow: true,
  },
  start: {
    measure: async (settings, answers) =>
      (await import('./start.js')).starts(await answers(), settings),
  },
  servers: {
    measure: async (settings, answers) =>
      (await import('./servers.js')).servers(await answers(), settings),
  },
  memory: {
    measure: async (settings, answers) =>
      (await import('./memory.js')).memory(await answers(), settings),
  },
  'in-process': {
    measure: async (settings) => (await import('./in-process.js')).inProcess(settings),
    needs: '22.20',
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
let recorded: Promise<Answers> | undefined
const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length }
let tables: Table[] = []
for (const [name, section] of wanted) {
  const start = performance.now()
  tables = joinTables([...tables, ...(await tablesOf(name, section))])
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

async function tablesOf(name: string, { needs, measure }: Section): Promise<Table[]> {
  if (needs !== undefined && !runsOn(needs)) return onNewerNode(name)
  return measure(settings, () => (recorded ??= recordAnswers(folder)))
}

/** Runs a section of this file on a Node version that fits all of its rows. */
function onNewerNode(name: string): Table[] {
  return runAgain(newerNode().path, [name], { out: 'ignore' }).tables
}

/** Runs this file on each of these versions of Node, one after the other, with the same flags. */
function measureOn(versions: readonly string[]): void {
  // All of them are installed before anything is measured.
  const paths = versions.map((version) => nodeOf(version).path)
  const reports = paths.map((path) => runAgain(path, positionals, { out: 'inherit' }))
  if (flags.json !== undefined) writeFileSync(flags.json, JSON.stringify(reports, null, 2))
}

function runAgain(
  node: string,
  names: readonly string[],
  { out }: { out: 'ignore' | 'inherit' },
): Report {
  const scratch = mkdtempSync(join(tmpdir(), 'svtrain-bench-'))
  const json = join(scratch, 'report.json')
  const { rounds, minutes, calls, bases, quick } = settings
  const numbers = Object.entries({ rounds, minutes, calls }).map(([flag, n]) => `--${flag}=${n}`)
  const own = [...numbers, ...bases.map((base) => `--base=${base}`), `--json=${json}`]
  const args = [import.meta.filename, ...names, ...own, ...(quick ? ['--quick'] : [])]
  try {
    execFileSync(node, ['--expose-gc', '--import', 'tsx', ...args], {
      stdio: ['ignore', out, 'inherit'],
    })
    return JSON.parse(readFileSync(json, 'utf8')) as Report
  } finally {
    rmSync(scratch, { recursive: true })
  }
}
