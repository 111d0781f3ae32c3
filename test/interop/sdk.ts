import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator } from '../../src/index.js'
import { runPython } from './python.js'
import { sdkSettings } from './run-sdk.js'
import type { Part } from './matrix/clients.js'
import type { Example } from './use.js'

/** The SDK that logs runs and artifacts: what each of its capabilities does stands in this program. */
export const SDK_PROGRAM = join('clients', 'wandb_capabilities.py')

/** The capabilities, in the order of the columns of the table. */
export const CAPABILITIES = [
  'init',
  'log',
  'finish',
  'resume',
  'offline, sync',
  'log_artifact',
  'wait',
  'use_artifact',
  'download',
  'link',
  'Api: runs',
  'history',
  'files',
  'artifacts',
] as const

const AT_ONCE = 3

/** Shows all capabilities with the SDK of a Python, a few at once. Each has its own emulator. */
export async function showCapabilities(command: string): Promise<Part[]> {
  const shown: Part[] = []
  const waiting = [...CAPABILITIES.entries()]
  const next = async (): Promise<void> => {
    for (let item = waiting.shift(); item; item = waiting.shift()) {
      const [place, capability] = item
      shown[place] = await showCapability(command, capability)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
  return shown
}

async function showCapability(command: string, capability: string): Promise<Part> {
  await using emulator = createEmulator({ clock: 'real' })
  await emulator.listen()
  const folder = mkdtempSync(join(tmpdir(), 'svtrain-sdk-'))
  try {
    mkdirSync(join(folder, 'wandb'))
    const ran = await runPython(command, [SDK_PROGRAM, capability], {
      ...sdkSettings(emulator, folder),
    })
    const result = ran.stdout.split('\n').find((line) => line.startsWith('[{'))
    const requests = emulator.journal.entries.filter((entry) => entry.kind === 'request')
    const failed = requests.filter(({ operation, status = 500, detail = '' }) => {
      return operation === undefined || status >= 500 || NOT_IN_SCHEMA.test(detail)
    })
    return {
      part: capability,
      examples: result === undefined ? [brokenOff(capability, ran.stderr)] : JSON.parse(result),
      strange: [
        ...failed.map(({ method, path, status, detail }) => {
          return [method, path, status, detail].filter((part) => part !== undefined).join(' ')
        }),
        ...warningsIn(ran.stderr),
        ...warningsOfLogs(folder),
      ],
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** How the emulator refuses a query that its schema does not have. */
const NOT_IN_SCHEMA = /^(?:Cannot query|Unknown (?:type|argument)|Variable|Field|Syntax Error)/

function brokenOff(capability: string, stderr: string): Example {
  const error = stderr.slice(-2000)
  return { name: 'the program', part: capability, error, missing: null }
}

/** What the SDK shows to its user as a warning or an error. */
function warningsIn(stderr: string): string[] {
  const lines = stderr.split('\n').filter((line) => /\b(?:WARNING|ERROR)\b/.test(line))
  return lines.filter((line) => !EXPECTED.some((expected) => expected.test(line)))
}

/** What the SDK writes to its own log as a warning or an error. */
function warningsOfLogs(folder: string): string[] {
  const files = readdirSync(join(folder, 'wandb'), { recursive: true, encoding: 'utf8' })
  // A run without a network knows nothing of the server.
  const logs = files.filter((file) => /^run-[^/]+\/logs\/debug-internal\.log$/.test(file))
  const lines = logs.flatMap((file) =>
    readFileSync(join(folder, 'wandb', file), 'utf8').split('\n'),
  )
  return lines
    .filter((line) => /"level":"(?:WARN|ERROR)"/.test(line))
    .map((line) => line.replace(/"time":"[^"]*",/, ''))
    .filter((line) => !EXPECTED.some((expected) => expected.test(line)))
}

/** What the SDK says about itself, or about what the programs do on purpose. */
const EXPECTED = [
  /already exists with the same content/,
  /job builder disabled/,
  // A run that must be there, and one that must not be.
  /run does not exist|run exists but cannot resume|must resume|cannot resume|not yet initialized|RunRecord is nil/,
  /There is no run \\"local-team\/verse\/absent\\"/,
]
