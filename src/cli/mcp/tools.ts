import { platform } from 'node:process'
import { cancelTimer, startTimer, wallNow } from '../../base/clock/wall.js'
import { boolean } from '../../service/contract/pydantic/boolean.js'
import { defaulted, required } from '../../service/contract/pydantic/fields.js'
import { list } from '../../service/contract/pydantic/list.js'
import { string } from '../../service/contract/pydantic/string.js'
import { union } from '../../service/contract/pydantic/union.js'
import type { Call } from '../../emulator/control/client/call.js'
import { cut } from '../../tools/mcp/paged.js'
import { tool, ToolError, type Effects, type Tool } from '../../tools/mcp/tool.js'
import { problemLine } from '../../tools/mcp/tools.js'
import { milliseconds, parseDuration } from '../../base/text/duration.js'
import { Redactor } from '../../base/text/redaction/redact.js'
import { captureChild, TIMED_OUT } from '../child.js'
import { formatDuration } from '../report/format.js'
import { REPORT_FILE } from '../report-file.js'
import { writeBelow } from './file-below.js'

/** What the tools of stdio may use. Those over HTTP have nothing of it. */
export interface Machine {
  /** The working directory. */
  readonly folder: string
  /** The environment of commands, with the addresses of the emulator. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** What results must not show. */
  readonly secrets: readonly string[]
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
}

/** It may do anything. */
const RUNS: Effects = { readOnlyHint: false, destructiveHint: true, openWorldHint: true }
/** It writes a file. */
const WRITES: Effects = { ...RUNS, openWorldHint: false }

const LONGEST_RUN = 600_000
const DEFAULT_LIMIT = '50s'

/** Makes the tools that run commands and write files. */
export function machineTools(machine: Machine): Tool[] {
  return [commandTool(machine), scenarioTool(machine), reportTool(machine)]
}

function commandTool({ environment, secrets, stopping }: Machine): Tool {
  const redactor = new Redactor({ secrets })
  return tool({
    name: 'run_command',
    description:
      'Runs a command of the project against the emulator, such as its tests, with the variables of get_status. Returns the exit code, the end of its output, and what happened in the emulator.',
    input: {
      command: required(union([list(string), string]), {
        description:
          'Such as ["pytest", "-x"], or a text for the shell, such as "pytest -x | tail".',
      }),
      timeout: defaulted(string, () => DEFAULT_LIMIT, {
        description:
          'The longest time that it may take, at most 10m; then it is stopped. Many clients give up after a minute.',
      }),
    },
    annotations: RUNS,
    async run({ command, timeout }, { call, signal }) {
      const words = typeof command === 'string' ? shellCommand(command) : command
      if (words.length === 0 || words[0] === '') {
        throw new ToolError('command: pass a program, such as ["pytest", "-x"].')
      }
      const limit = parseDuration(timeout)
      if (limit === undefined || limit === 0 || limit > LONGEST_RUN) {
        throw new ToolError(`timeout: "${cut(timeout, 40)}" is not a duration of at most 10m.`)
      }
      const before = await latestEntry(call)
      const start = wallNow()
      const late = new AbortController()
      const timer = startTimer(milliseconds(timeout), () => late.abort())
      const end = AbortSignal.any([signal, stopping, late.signal])
      const ran = await captureChild(words, { env: environment, signal: end })
      cancelTimer(timer)
      if (ran.failure !== undefined) {
        throw new ToolError(`Failed to run ${cut(words[0]!, 80)}: ${ran.failure}`)
      }
      const took = formatDuration(wallNow() - start)
      const how = late.signal.aborted
        ? `It was stopped after the timeout of ${timeout} (exit code ${TIMED_OUT}).`
        : `Exit code ${ran.code} after ${took}.`
      const happened = await entriesAfter(call, before)
      const text = [
        how,
        ...outputLines('stdout', ran.stdout, 1300),
        ...outputLines('stderr', ran.stderr, 1000),
        'In the emulator:',
        cutStart(happened.join('\n') || 'Nothing. Does the command read SVTRAIN_BASE_URL?', 1300),
      ]
      return redactor.redact(text.join('\n'))
    },
  })
}

function scenarioTool({ folder }: Machine): Tool {
  return tool({
    name: 'write_scenario',
    description:
      'Writes a scenario to a YAML file below the working directory. A text with mistakes is not written.',
    input: {
      file: required(string, { description: 'The path of the file, such as scenarios/mine.yaml.' }),
      yaml: required(string, { description: 'The whole text of the scenario.' }),
      overwrite: defaulted(boolean, () => false, {
        description: 'Whether to replace a file that exists.',
      }),
    },
    annotations: WRITES,
    async run({ file, yaml, overwrite }, { call }) {
      if (!/\.ya?ml$/i.test(file)) throw new ToolError('file: a scenario is a .yaml file.')
      const checked = await call('POST /scenario/check', { body: { yaml } })
      if (!checked.scenario) {
        const lines = cut(checked.problems.map(problemLine).join('\n'), 3000)
        throw new ToolError(`The scenario has mistakes, and was not written:\n${lines}`)
      }
      const text = yaml.endsWith('\n') ? yaml : `${yaml}\n`
      await writeBelow({ folder, file, text, overwrite })
      return `Wrote the scenario "${checked.scenario.name}" to ${file}. Start the emulator with it: svtrain-emulator --scenario ./${file}`
    },
  })
}

function reportTool({ folder }: Machine): Tool {
  return tool({
    name: 'write_report',
    description:
      'Writes what happened to an HTML page below the working directory, without keys and secrets.',
    input: {
      file: defaulted(string, () => REPORT_FILE, {
        description: `The path of the page. Default: ${REPORT_FILE}.`,
      }),
      contents: defaulted(boolean, () => true, {
        description: 'Whether it has prompts, messages and trajectories.',
      }),
      overwrite: defaulted(boolean, () => false, {
        description: 'Whether to replace a file that exists.',
      }),
    },
    annotations: WRITES,
    async run({ file, contents, overwrite }, { call }) {
      if (!/\.html?$/i.test(file)) throw new ToolError('file: a report is an .html file.')
      const query = contents ? {} : { contents: 'redacted' as const }
      const text = await call('GET /report', { query })
      await writeBelow({ folder, file, text, overwrite })
      return `Wrote the report to ${file}. Open it in a browser.`
    },
  })
}

/** The words that let the shell of the machine read a text. */
function shellCommand(text: string): string[] {
  if (text.trim() === '') return []
  return platform === 'win32' ? ['cmd', '/d', '/s', '/c', text] : ['sh', '-c', text]
}

/** The end of a text that is too long. */
function cutStart(text: string, most: number): string {
  return text.length <= most ? text : `… ${text.slice(text.length - most)}`
}

function outputLines(name: string, text: string, most: number): string[] {
  const trimmed = text.trim()
  return trimmed === '' ? [] : [`${name}:`, cutStart(trimmed, most)]
}

async function latestEntry(call: Call): Promise<number> {
  const { entries } = await call('GET /timeline')
  return Math.max(0, ...entries.map(({ id }) => id ?? 0))
}

/** What happened since an entry, a line for each. Empty after a reset. */
async function entriesAfter(call: Call, before: number): Promise<string[]> {
  const { entries } = await call('GET /timeline')
  return entries
    .filter(({ id }) => id !== null && id > before)
    .map(({ at, depth, text }) => `${at} ${'  '.repeat(Math.min(depth, 4))}${text}`)
}
