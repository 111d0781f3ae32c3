import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError } from '../../src/service/contract/errors.js'
import { meaningOf } from '../../src/service/contract/status-wording.js'
import { root } from '../stamp.js'
import { block, code, page, table } from './markdown.js'

const CLASS = /export class (?<name>\w+) extends \w*Error \{(?<body>(?:(?!^\}$)[^])*)/gm
const CODES = /readonly code(?:: | = )(?<codes>[^=\n]*(?:SVTRAIN_)[^\n]*)/

/** When each error happens, and what to do. The generator checks that it has all codes, and no other. */
const explained: Readonly<Record<string, readonly [when: string, remedy: string] | undefined>> = {
  ALREADY_LISTENING: [
    '`listen()` was called twice.',
    'Close the emulator first, or create another one.',
  ],
  BAD_SCENARIO: [
    'A scenario has mistakes. `problems` lists all of them, with their paths.',
    'Correct them. `svtrain-emulator scenarios check` names line and column.',
  ],
  BUDGET: [
    'A budget cannot be read, or its prices are missing or in another currency.',
    'Write a limit such as `2M-tokens`, or pass prices in its currency.',
  ],
  CANNOT_ARRANGE: [
    'A test asks for a model or a job that cannot exist, such as a second model of the same name.',
    'The message says what is allowed.',
  ],
  CANNOT_LISTEN: [
    'A port cannot be opened: for example, the address does not exist, or the port needs rights.',
    'Choose another `host` or `port`.',
  ],
  CONDUCT: [
    'A client check found mistakes of your client. `findings` lists them.',
    'Correct your client, or turn the check off: see [Client checks](checks.md).',
  ],
  CONTROL_REFUSED: [
    'The emulator refused a call of `createClient`. `status` says why.',
    'See the [statuses of the control API](control.md).',
  ],
  CRASH_NEEDS_FETCH: [
    'Code that is explored with `crash` opens a port.',
    'Pass `emulator.fetch` to your client, or explore a command: see [In code](../how-to/crashes.md#in-code).',
  ],
  DATA_DAMAGED: [
    'A data folder or a snapshot file cannot be read.',
    'Start without it, or with a copy.',
  ],
  DATA_IN_USE: [
    'Another process uses the data folder.',
    'Stop that process, or choose another folder.',
  ],
  DATA_TOO_LARGE: [
    'The world is larger than a data folder may be.',
    'Reset it, or start in another folder.',
  ],
  DATA_UNUSABLE: [
    'The system refuses access to the data folder or the file.',
    'Check the path and its rights.',
  ],
  ENVIRONMENT: [
    'The environment or the test runner lacks what the package needs.',
    'The message names it, and what to do.',
  ],
  EXPLORE: [
    '`assertPassed` of an exploration found failures. `report` has them.',
    'The message has the smallest scenario for each: see [Explore](../how-to/explore.md).',
  ],
  ILLEGAL_MOVE: [
    'A test adds an event that the state of a job does not allow, such as a step after the end.',
    'Look at `job.status` first.',
  ],
  ISOLATED_DATA: ['`createEmulator` got both `data` and `isolate`.', 'Leave out one of the two.'],
  NOT_FOUND: [
    'There is no webhook, automation, secret or delivery of that name.',
    'The message lists the names that exist.',
  ],
  NOT_ISOLATED: [
    '`emulator.world(key)` was called, but all keys share one world.',
    "Create the emulator with `{ isolate: 'api-key' }`.",
  ],
  NOT_TEXT: [
    'A file of training data is compressed, of another format, or not in UTF-8.',
    'The message says what the file is, and how to convert it.',
  ],
  NOT_RECEIVED: [
    'A sink did not receive the expected deliveries in time.',
    'The message shows the nearest delivery and the difference.',
  ],
  NOT_SETTLED: [
    '`settle` gave up, because things keep happening, or a job never ends.',
    'The message names what is left. Finish or fail the job, or pass `within` or `most`.',
  ],
  NO_TRIAL: [
    'A trial of an exploration ends that did not begin.',
    'Start an exploration. After its report, start another one.',
  ],
  NO_SUCH_JOB: ['`emulator.job()` finds no job.', 'The message lists the jobs that exist.'],
  NO_SUCH_REQUEST: [
    '`emulator.requests.find` finds no request.',
    'The message shows the nearest request and the difference.',
  ],
  OPTIONS: [
    'An option of a function is unknown or has a wrong value. The function did nothing.',
    'The message names the option and the nearest right one.',
  ],
  PENDING: [
    '`assertNothingPending` found unfinished jobs, unused faults or open deliveries.',
    'The message is a table of them.',
  ],
  PORT_TAKEN: ['Another program uses the port.', 'Choose another port, or 0 for a free one.'],
  PRICES: [
    'Prices for a bill cannot be used. The message lists each problem.',
    'Correct them: see [The bill](../how-to/bill.md#write-your-prices).',
  ],
  REAL_TIME: [
    'A test moves the time of a `real` clock.',
    "Create the emulator with `clock: 'manual'`, or call `emulator.useClock('manual')`.",
  ],
  RECORDING: [
    'A recording cannot be created or read. The message names the file and the line.',
    'Choose another folder, or remove the line.',
  ],
  REMOVED: [
    'Code uses a method, a property, an export or a variable that was removed.',
    'The message says what to use instead: see [Releases](../releases.md#from-02-to-03).',
  ],
  SINK_ATTACHED: [
    '`emulator.createSink` was called twice.',
    'Use the first sink, or `createWebhookSink()` with a webhook of your own.',
  ],
  SNAPSHOT_DAMAGED: ['A file is not a snapshot, or it was altered.', 'Export it again.'],
  SNAPSHOT_INVALID: [
    'A snapshot has values that cannot be used. Nothing was changed.',
    'The message names each of them.',
  ],
  SNAPSHOT_ISOLATED: [
    'A snapshot has one world, but each API key has its own.',
    'Use `emulator.world(key)`, or `--world <key>`.',
  ],
  SNAPSHOT_SCENARIO: [
    'The scenario of a saved world has functions, which a file cannot hold.',
    'Pass the same scenario again.',
  ],
  SNAPSHOT_SEED: [
    'A saved world continues with another seed than its own.',
    'Leave out the seed, or start with a new world.',
  ],
  SNAPSHOT_TAKEN: [
    'A snapshot is imported into a data folder that already has a world.',
    'Choose another folder, or leave out the snapshot.',
  ],
  SNAPSHOT_TOO_LARGE: [
    'The world does not fit into a snapshot, which is one text of at most about 512 MB.',
    'Reset the world, or keep it in a data folder.',
  ],
  SNAPSHOT_VERSION: [
    'Another version of the emulator wrote the snapshot, in a form that this one does not read.',
    'Use that version, or start with a new world.',
  ],
  UNEXPECTED_DELIVERY: [
    'A sink received a delivery that a test did not expect.',
    'The message shows the delivery.',
  ],
  UNKNOWN_EVENT: ['`trigger` got an unknown event.', 'The message lists all events.'],
  UNKNOWN_OPERATION: [
    'A test names an operation that does not exist.',
    'See [Operations](operations.md).',
  ],
  UNKNOWN_SCENARIO: [
    'There is no built-in scenario of that name.',
    'See [Built-in scenarios](scenarios.md). For a file, the command line takes its path, and code takes `await loadScenario(path)`.',
  ],
  UNREACHABLE: [
    'No emulator answers at the URL of `createClient`.',
    'Start one, and pass the URL of its training port.',
  ],
  USAGE: [
    'The command line or the environment is wrong. The program exits with 2.',
    'See [Command line](cli.md).',
  ],
}

/** Lists the error classes with their codes, and the errors of the emulated API. */
export function errorsPage(): string {
  const found = codesInSources()
  assertSame([...found.keys()], Object.keys(explained))
  const rows = [...found].sort(([one], [other]) => (one < other ? -1 : 1))
  return page(
    'Error codes',
    'Every error that the package throws on purpose is an `EmulatorError` with a `code`. Compare the code, not the message: messages change, codes do not.',
    block('text', "catch (error) {\n  if (error.code === 'SVTRAIN_PORT_TAKEN') …\n}"),
    table(
      ['code', 'class', 'when it happens', 'what to do'],
      rows.map(([name, owner]) => [code(`SVTRAIN_${name}`), code(owner), ...explained[name]!]),
    ),
    'To look up a symptom instead of a code, see [Troubleshooting](../how-to/troubleshooting.md).',
    '## Errors of the emulated API',
    'These are the errors of the service. Your client gets them over HTTP. On the training host a body is `{"detail": "…"}`, or a list of entries for a 422. On the inference host, and for chats on both hosts, it is:',
    block(
      'json',
      JSON.stringify(
        new ApiError(404, 'The model `poet` does not exist.', { param: 'model' }).bodyFor(
          'inference',
        ),
        null,
        2,
      ),
    ),
    'Runs and artifacts have errors in the form of GraphQL: `{"errors": [{"message": "…", "path": […]}]}`. A query that fails has the status 200, so that its client shows the message.',
    'The messages below are those that a [fault](scenario.md#faults) without a `message` has. [Operations](operations.md) lists the statuses of each operation.',
    table(
      ['status', 'message on the training host', 'message on the inference host', '`type`'],
      STATUSES.map((status) => [
        code(String(status)),
        meaningOf(status, 'training'),
        meaningOf(status, 'inference'),
        code(typeOf(status)),
      ]),
    ),
    'A 429 of a chat has `"code": "rate_limit_exceeded"`. All other errors have the status as `code`.',
    'The log of the emulator, and `hint` in the [requests of the control API](control.md), say what a client may have meant.',
  )
}

const STATUSES = [400, 401, 402, 403, 404, 405, 408, 409, 413, 429, 500, 502, 503, 504, 524]

function typeOf(status: number): string {
  const body = new ApiError(status, '').bodyFor('inference') as { error: { type: string } }
  return body.error.type
}

/** Finds the codes without their prefix, each with its class. */
function codesInSources(): Map<string, string> {
  const found = new Map<string, string>()
  for (const text of sources()) {
    for (const { groups } of text.matchAll(CLASS)) {
      const { name = '', body = '' } = groups ?? {}
      for (const each of codesIn(CODES.exec(body)?.groups?.['codes'] ?? '')) found.set(each, name)
    }
  }
  return found
}

/** Reads the codes of a type: `'SVTRAIN_A' | 'SVTRAIN_B'`, or a template with alternatives. */
function codesIn(type: string): string[] {
  const [, prefix = '', alternatives = ''] = /`SVTRAIN_(\w*)\$\{(.*)\}`/.exec(type) ?? []
  if (alternatives !== '') {
    return Array.from(alternatives.matchAll(/'(\w+)'/g), ([, name = '']) => prefix + name)
  }
  return Array.from(type.matchAll(/'SVTRAIN_(\w+)'/g), ([, name = '']) => name)
}

function assertSame(found: readonly string[], known: readonly string[]): void {
  const missing = found.filter((each) => !known.includes(each))
  const surplus = known.filter((each) => !found.includes(each))
  if (missing.length + surplus.length === 0) return
  throw new Error(
    `.build/reference/errors.ts does not explain ${missing.join(', ') || 'nothing'}, and explains ${surplus.join(', ') || 'nothing'}, which the sources do not have.`,
  )
}

function sources(): string[] {
  const folder = join(root, 'src')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'))
}
