import { inspect } from 'node:util'
import { formatDifferences } from '../../src/base/text/match.js'
import { commandFailure } from '../../src/cli/failure/command.js'
import type { CommandRun } from '../../src/cli/failure/command-run.js'
import { commandSuite } from '../../src/cli/failure/command-suite.js'
import { junitXml } from '../../src/cli/failure/junit.js'
import { failureLines, plain } from '../../src/cli/failure/lines.js'
import { pendingNow } from '../../src/cli/failure/pending.js'
import { logFormats } from '../../src/cli/options/serve.js'
import { requestLog } from '../../src/cli/request-log.js'
import { SessionSummary } from '../../src/cli/session-summary.js'
import { painterFor } from '../../src/cli/terminal.js'
import { operations } from '../../src/compose/control-table.js'
import { findingsIn } from '../../src/emulator/testing/client-checks.js'
import { requestDifferences, shownDifferences } from '../../src/emulator/testing/request-pattern.js'
import type { Emulator } from '../../src/index.js'
import { tools } from '../../src/tools/mcp/tools.js'

/** A place where texts about calls leave the emulator. */
export type Exit = () => Promise<string>

/**
 * Returns all exits of an emulator, by name. Those of the control API, of MCP and of the log come from their tables, so
 * a new row is one.
 */
export function exitsOf(emulator: Emulator): Map<string, Exit> {
  return new Map<string, Exit>([
    ...controlExits(emulator),
    ...toolExits(emulator),
    ...logFormats.map((format): [string, Exit] => [
      `--log ${format}`,
      () => logged(emulator, format),
    ]),
    ['emulator.report()', () => emulator.report()],
    ['emulator.har()', async () => JSON.stringify(await emulator.har())],
    ['emulator.trace()', () => Promise.resolve(emulator.trace())],
    ['the output of exec', () => Promise.resolve(execLines(emulator))],
    ['JUnit of exec', () => Promise.resolve(junitOf(emulator))],
    ['the last lines of the command', () => Promise.resolve(summaryOf(emulator))],
    ['the error of requests.find', () => Promise.resolve(nearestRequests(emulator))],
    ['the journal as JSON', () => Promise.resolve(JSON.stringify(emulator.journal.entries))],
    ['the journal in console.log', () => Promise.resolve(inspect(emulator.journal.entries))],
  ])
}

/** Rows that wait for something, and the one that the tools of MCP pass through. */
const NOT_READ: readonly string[] = ['awaitRequests', 'callMcp']

/** What parameters of a path can be. A thing that is not there is no exit. */
const named: Readonly<Record<string, (emulator: Emulator) => readonly string[]>> = {
  document: () => ['training.json', 'inference.json'],
  request_id: ({ requests }) => requests.all().map(({ id }) => String(id)),
  job_id: ({ jobs }) => jobs.all.map(({ id }) => id),
  delivery_id: ({ webhooks }) => webhooks.deliveries.map(({ id }) => id),
  entity: () => ['local-team'],
  project: () => ['demo'],
  run: () => ['a-run'],
  artifact: () => ['an-artifact'],
}

function controlExits(emulator: Emulator): [string, Exit][] {
  const rows = operations.filter(({ host, method, id }) => {
    return host === 'control' && method === 'GET' && !NOT_READ.includes(id)
  })
  return rows.flatMap(({ path, id }) =>
    filled(path, emulator).map((each): [string, Exit] => {
      if (id === 'stream') return [each, () => firstEntries(emulator, `${each}?after=0`)]
      const query = id === 'takeSnapshot' ? '?secrets=false' : ''
      return [each, async () => (await emulator.fetch(urlOf(emulator, each + query))).text()]
    }),
  )
}

function filled(path: string, emulator: Emulator): string[] {
  const [whole, name] = /\{(\w+)\}/.exec(path) ?? []
  if (whole === undefined) return [path]
  const values = named[name!]
  if (!values) throw new Error(`${path} is an exit that nobody reads: say what {${name}} can be.`)
  return values(emulator).flatMap((value) => filled(path.replace(whole, value), emulator))
}

function urlOf(emulator: Emulator, path: string): URL {
  return new URL(path, emulator.trainingUrl)
}

async function firstEntries(emulator: Emulator, path: string): Promise<string> {
  const answer = await emulator.fetch(urlOf(emulator, path))
  let text = ''
  for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += part
    if (/^event: entries\n.*\n\n/m.test(text)) break
  }
  return text
}

/** Tools that read documents, and tools whose arguments hold all that they show. */
const WITHOUT_CALLS: readonly string[] = ['read_docs', 'check_scenario']

function toolExits(emulator: Emulator): [string, Exit][] {
  const reads = tools.filter(({ name, annotations }) => {
    return annotations.readOnlyHint && !WITHOUT_CALLS.includes(name)
  })
  const [request] = emulator.requests.all()
  const given: Record<string, object> = { read_request: { request: request?.id } }
  return reads.map(({ name }) => [
    `the tool ${name}`,
    async () => {
      const params = { name, arguments: given[name] ?? {} }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
      const accept = 'application/json, text/event-stream'
      const headers = { 'content-type': 'application/json', accept }
      const init = { method: 'POST', body, headers }
      return (await emulator.fetch(urlOf(emulator, '/_emulator/mcp'), init)).text()
    },
  ])
}

/** A command that failed beside the emulator. */
function failedRun(emulator: Emulator): CommandRun {
  const late = pendingNow(emulator)
  return { command: ['npm', 'test'], code: 1, took: 1, again: [], late }
}

function execLines(emulator: Emulator): string {
  const { late: _late, ...run } = failedRun(emulator)
  const failures = [run, failedRun(emulator)].map((each) => commandFailure(emulator, each))
  return failures.flatMap((failure) => failureLines(failure, plain)).join('\n')
}

function junitOf(emulator: Emulator): string {
  const mistakes = findingsIn(emulator)
  const checks = mistakes.map(({ check }) => check)
  return junitXml(commandSuite(emulator, { ...failedRun(emulator), mistakes }, { checks }))
}

function summaryOf(emulator: Emulator): string {
  const summary = new SessionSummary()
  for (const entry of emulator.journal.entries) summary.add(entry)
  return summary.lines({ paint: painterFor({}, {}) }).join('\n')
}

/** The message of an error quotes what it compares: the path, the whole body, headers and parameters. */
function nearestRequests(emulator: Emulator): string {
  const names = ['authorization', 'x-note', 'cookie', 'referer', 'name', 'note', 'api_key', 'token']
  const values = Object.fromEntries(names.map((name) => [name, 'another']))
  const pattern = { path: '/none', headers: values, query: values, body: 0 }
  const lines = emulator.requests.all().flatMap((request) => {
    return formatDifferences(shownDifferences(requestDifferences(pattern, request), request))
  })
  return [emulator.requests.nearestTo(pattern), ...lines].join('\n')
}

function logged(emulator: Emulator, format: (typeof logFormats)[number]): Promise<string> {
  const lines: string[] = []
  const output = { write: (line: string) => void lines.push(line), paint: painterFor({}, {}) }
  const { log } = requestLog(format, output)
  for (const entry of emulator.journal.entries) log(entry)
  return Promise.resolve(lines.join('\n'))
}
