import { platform } from 'node:process'
import { cancelTimer, startTimer, wallNow } from '../../../base/clock/wall.js'
import { defaulted, required } from '../../../service/contract/pydantic/fields.js'
import { list } from '../../../service/contract/pydantic/containers.js'
import { string } from '../../../service/contract/pydantic/scalars.js'
import { union } from '../../../service/contract/pydantic/union.js'
import type { AnswerOf, Call } from '../../../emulator/control/client/call.js'
import { cut } from '../../../tools/mcp/paged.js'
import { tool, ToolError, type Effects, type Tool } from '../../../tools/mcp/tool.js'
import { parseDuration } from '../../../base/text/duration.js'
import { Redactor } from '../../../base/text/redaction/redact.js'
import { captureChild, TIMED_OUT } from '../../child.js'
import { partLines, plain } from '../../failure/lines.js'
import { pendingPart } from '../../failure/pending.js'
import { formatDuration } from '../../report/format.js'

/** What the tool of stdio may use. Those over HTTP have nothing of it. */
export interface Machine {
  /** The environment of commands, with the addresses of the emulator. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** What results must not show. */
  readonly secrets: readonly string[]
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
}

/** It may do anything. */
const RUNS: Effects = { readOnlyHint: false, destructiveHint: true, openWorldHint: true }

const LONGEST_RUN = 600_000
const DEFAULT_LIMIT = '50s'

const input = {
  command: required(union([list(string), string]), {
    description: 'Such as ["pytest", "-x"], or a text for the shell, such as "pytest -x | tail".',
  }),
  timeout: defaulted(string, () => DEFAULT_LIMIT, {
    description:
      'The longest time that it may take, at most 10m; then it is stopped. Many clients give up after a minute.',
  }),
}

/** Makes the tool that runs commands. */
export function commandTool({ environment, secrets, stopping }: Machine): Tool {
  const redactor = new Redactor({ secrets })
  return tool({
    name: 'run_command',
    description:
      'Runs a command of the project against the emulator, such as its tests, with the variables of get_status. Returns the exit code, what failed, the end of its output, and what happened.',
    input,
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
      const before = (await journalOf(call)).at(-1)
      const start = wallNow()
      const late = new AbortController()
      const timer = startTimer(limit, () => late.abort())
      const end = AbortSignal.any([signal, stopping, late.signal])
      const ran = await captureChild(words, { env: environment, signal: end }).finally(() => {
        cancelTimer(timer)
      })
      if (ran.failure !== undefined) {
        throw new ToolError(`Failed to run ${cut(words[0]!, 80)}: ${ran.failure}`)
      }
      const took = formatDuration(wallNow() - start)
      const how = late.signal.aborted
        ? `It was stopped after the timeout of ${timeout} (exit code ${TIMED_OUT}).`
        : `Exit code ${ran.code} after ${took}.`
      const happened = await entriesSince(call, before)
      const { pending } = await call('GET /pending')
      const left = pendingPart(pending)
      const [, ...rows] = partLines(left, plain)
      const failed = happened.filter(({ problem }) => problem)
      const entries = (shown: readonly TimelineEntry[]): string => shown.map(entryLine).join('\n')
      // A secret that is cut looks like none, so it is hidden before.
      const part = (name: string, text: string, most: number): string[] => {
        const shown = redactor.redact(text.trim())
        return shown === '' ? [] : [`${name}:`, cutStart(shown, most)]
      }
      return [
        how,
        ...part('What failed in the emulator', entries(failed), 500),
        ...part('stdout', ran.stdout, 1300),
        ...part('stderr', ran.stderr, 1000),
        ...part(left.heading, rows.map((row) => row.trim()).join('\n'), 400),
        ...part('In the emulator', entries(happened) || NOTHING, 1100),
      ].join('\n')
    },
  })
}

const NOTHING = 'Nothing. Does the command read SVTRAIN_BASE_URL?'

/** The words that let the shell of the machine read a text. */
function shellCommand(text: string): string[] {
  if (text.trim() === '') return []
  return platform === 'win32' ? ['cmd', '/d', '/s', '/c', text] : ['sh', '-c', text]
}

/** The end of a text that is too long. It does not begin with half a character. */
function cutStart(text: string, most: number): string {
  if (text.length <= most) return text
  return `… ${text.slice(text.length - most).replace(/^[\udc00-\udfff]/, '')}`
}

type Trace = Exclude<AnswerOf<'GET /trace'>, string>
type JournalEntry = Trace['entries'][number]

async function journalOf(call: Call): Promise<JournalEntry[]> {
  return ((await call('GET /trace', { query: { format: 'json' } })) as Trace).entries
}

type TimelineEntry = AnswerOf<'GET /timeline'>['entries'][number]

/** What happened since an entry. A world that was reset meanwhile counts its entries from 1 again. */
async function entriesSince(
  call: Call,
  latest: JournalEntry | undefined,
): Promise<TimelineEntry[]> {
  const isThere = latest && (await journalOf(call)).some((each) => isSame(each, latest))
  const before = isThere ? latest.id : 0
  const { entries } = await call('GET /timeline')
  return entries.filter(({ id }) => id !== null && id > before)
}

/** Whether two entries are one. How long a request took tells it from the same one in another world. */
function isSame(one: JournalEntry, other: JournalEntry): boolean {
  const took = (entry: JournalEntry): unknown => 'took' in entry && entry.took
  const isAlike = one.kind === other.kind && one.at === other.at && took(one) === took(other)
  return one.id === other.id && isAlike
}

function entryLine({ at, depth, text }: TimelineEntry): string {
  return `${at} ${'  '.repeat(Math.min(depth, 4))}${text}`
}
