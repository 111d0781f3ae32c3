import { writeFile } from 'node:fs/promises'
import { env as environment, stdin } from 'node:process'
import type { Emulator } from '../../emulator/emulator.js'
import { runChild } from '../child.js'
import { flagNames, flags, type Flag, type Settings } from '../flags.js'
import { onlyOf, valuesOf, type AllGiven } from '../given.js'
import { createParser, givenFor, runParser, toYargs, unknownOption } from '../parser.js'
import { pendingIn, pendingText } from '../../testing/pending.js'
import { traceOf } from '../../testing/trace.js'
import { printable, printableLines } from '../printable.js'
import { requestLog } from '../request-log.js'
import { openPorts } from '../serve.js'
import { settingsFrom } from '../settings.js'
import type { Terminal } from '../terminal.js'
import { UsageError } from '../usage-error.js'
import { anyText } from '../values.js'
import type { Called, Run } from './command.js'
import {
  assertKnown,
  environmentFor,
  mapping,
  proxyExceptions,
  type Mapping,
} from './exec-environment.js'

const envFlag = {
  describe:
    'A variable of the command, such as OPENAI_API_KEY={key}; ' +
    '{training}, {inference}, {control}, {key} and {sink} are filled in',
  value: mapping,
  list: true,
} as const satisfies Flag

const traceFlag = {
  describe: 'Where the whole trace is written if the command fails',
  value: anyText('a file'),
  defaultText: 'its end goes to stderr',
} as const satisfies Flag

/** Runs a command against an emulator of its own, and exits as it does. */
export const exec: Run = async (called, terminal) => {
  const asked = await read(called)
  if (asked.kind === 'text') {
    terminal.write(asked.text)
    return 0
  }
  const { settings, mappings, command, trace } = asked
  // The command's own output is what is wanted on stdout.
  const aside: Terminal = { ...terminal, write: terminal.writeError }
  const { emulator, stop } = await openPorts(settings, aside)
  emulator.journal.subscribe(requestLog(settings.log, aside))
  try {
    const ran = await runChild(command, {
      env: {
        ...environment,
        ...proxyExceptions(emulator, environment),
        ...environmentFor(emulator, mappings),
      },
      interactive: stdin.isTTY,
    })
    if (ran.failure !== undefined)
      terminal.writeError(`Failed to run ${command[0]}: ${ran.failure}`)
    else if (ran.code !== 0) await report(emulator, { command, code: ran.code, trace }, aside)
    return ran.code
  } finally {
    await stop()
  }
}

type Asked =
  /** `--help`: what to print. */
  | { kind: 'text'; text: string }
  | {
      kind: 'run'
      settings: Settings
      mappings: readonly Mapping[]
      command: readonly string[]
      /** The file that the trace goes to. */
      trace: string | undefined
    }

async function read({ row, argv }: Called): Promise<Asked> {
  const end = argv.indexOf('--')
  const own = end === -1 ? argv : argv.slice(0, end)
  const options = Object.fromEntries(flagNames.map((name) => [name, toYargs(flags[name])]))
  const parser = createParser('', `${row.usage}\n\n${row.summary}.`)
    .options({ ...options, env: toYargs(envFlag), trace: toYargs(traceFlag) })
    .version(false)
  const { parsed, text } = await runParser(parser, own)
  if (text !== '') return { kind: 'text', text }
  refuseStrays(parsed._.map(String))
  const command = end === -1 ? [] : argv.slice(end + 1)
  if (command.length === 0) {
    throw new UsageError('exec takes a command after two dashes: exec -- pytest -x')
  }
  const given: AllGiven = Object.fromEntries(
    flagNames.flatMap((name) => {
      const written = givenFor(parsed, { name, flag: flags[name] })
      return written ? [[name, written]] : []
    }),
  )
  const mappings = valuesOf(givenFor(parsed, { name: 'env', flag: envFlag }), mapping)
  const settings = settingsFrom(given, environment)
  assertKnown(mappings, settings)
  const { port = 0, inferencePort = 0, sinkPort = 0 } = settings
  const log = given.log ? settings.log : 'silent'
  const trace = onlyOf(givenFor(parsed, { name: 'trace', flag: traceFlag }), traceFlag.value)
  const ports = { port, inferencePort, sinkPort }
  return { kind: 'run', settings: { ...settings, ...ports, log }, mappings, command, trace }
}

function refuseStrays(strays: readonly string[]): void {
  const [first] = strays
  if (first === undefined) return
  if (/^-+[^-]/.test(first))
    throw new UsageError(unknownOption(first, [...flagNames, 'env', 'trace']))
  throw new UsageError(
    `Unexpected argument "${first}". The command follows two dashes: -- ${first}`,
  )
}

interface Failed {
  command: readonly string[]
  code: number
  trace: string | undefined
}

/** What a reader of the failure wants to know first: what was left over, and what led there. */
async function report(
  emulator: Emulator,
  { command, code, trace }: Failed,
  { write, paint }: Terminal,
): Promise<void> {
  write('')
  write(paint('bold', `${printable(command[0]!)} ended with ${code}.`))
  write(printableLines(pendingText(pendingIn(emulator), emulator)))
  if (trace === undefined) return write(printableLines(traceOf(emulator)))
  try {
    await writeFile(trace, `${traceOf(emulator, { most: Infinity })}\n`)
    write(`What happened stands in ${printable(trace)}.`)
  } catch (error) {
    write(`Failed to write the trace: ${printable((error as Error).message)}`)
    write(printableLines(traceOf(emulator)))
  }
}
