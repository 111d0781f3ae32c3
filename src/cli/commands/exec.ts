import { env as environment, stdin } from 'node:process'
import type { EmulatorCore } from '../../emulator.js'
import { runChild } from '../child.js'
import { flagNames, flags, type Flag, type Settings } from '../flags.js'
import { valuesOf, type AllGiven } from '../given.js'
import { createParser, givenFor, runParser, toYargs, unknownOption } from '../parser.js'
import { printable } from '../printable.js'
import { requestLog } from '../request-log.js'
import { openPorts } from '../serve.js'
import { settingsFrom } from '../settings.js'
import type { Terminal } from '../terminal.js'
import { UsageError } from '../usage-error.js'
import type { Called, Run } from './command.js'
import { assertKnown, environmentFor, mapping, type Mapping } from './exec-environment.js'

const envFlag = {
  describe: 'A variable of the command: {training}, {inference}, {control}, {key} are filled in',
  value: mapping,
  list: true,
} as const satisfies Flag

/** The most entries that are shown of a run that failed. */
const SHOWN = 20

/** Runs a command against an emulator of its own, and exits as it does. */
export const exec: Run = async (called, terminal) => {
  const asked = await read(called)
  if (asked.kind === 'text') {
    terminal.write(asked.text)
    return 0
  }
  const { settings, mappings, command } = asked
  // The command's own output is what is wanted on stdout.
  const aside: Terminal = { ...terminal, write: terminal.writeError }
  const { core, stop } = await openPorts(settings, aside)
  core.journal.subscribe(requestLog(settings.log, aside))
  try {
    const ran = await runChild(command, {
      env: { ...environment, ...environmentFor(core, mappings) },
      interactive: stdin.isTTY,
    })
    if (ran.failure !== undefined)
      terminal.writeError(`Failed to run ${command[0]}: ${ran.failure}`)
    else if (ran.code !== 0) report(core, { command, code: ran.code }, aside)
    return ran.code
  } finally {
    await stop()
  }
}

type Asked =
  /** `--help`: what to print. */
  | { kind: 'text'; text: string }
  | { kind: 'run'; settings: Settings; mappings: readonly Mapping[]; command: readonly string[] }

async function read({ row, argv }: Called): Promise<Asked> {
  const end = argv.indexOf('--')
  const own = end === -1 ? argv : argv.slice(0, end)
  const options = Object.fromEntries(flagNames.map((name) => [name, toYargs(flags[name])]))
  const parser = createParser('', `${row.usage}\n\n${row.summary}.`)
    .options({ ...options, env: toYargs(envFlag) })
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
  assertKnown(mappings)
  const settings = settingsFrom(given, environment)
  const { port = 0, inferencePort = 0, sinkPort = 0 } = settings
  const log = given.log ? settings.log : 'silent'
  const ports = { port, inferencePort, sinkPort }
  return { kind: 'run', settings: { ...settings, ...ports, log }, mappings, command }
}

function refuseStrays(strays: readonly string[]): void {
  const [first] = strays
  if (first === undefined) return
  if (/^-+[^-]/.test(first)) throw new UsageError(unknownOption(first, [...flagNames, 'env']))
  throw new UsageError(
    `Unexpected argument "${first}". The command follows two dashes: -- ${first}`,
  )
}

/** What a reader of the failure wants to know first: what the emulator saw last. */
function report(
  { journal, scenario, seed }: EmulatorCore,
  { command, code }: { command: readonly string[]; code: number },
  { write, paint }: Terminal,
): void {
  const { entries } = journal
  const left = entries.length - SHOWN
  write('')
  write(paint('bold', `${printable(command[0]!)} ended with ${code}.`))
  write(`Scenario ${printable(scenario.name)}, seed ${seed}. What the emulator saw:`)
  if (left > 0) write(`  … ${left} entries before these`)
  const log = requestLog('pretty', { write: (line) => write(`  ${line}`), paint })
  for (const entry of entries.slice(-SHOWN)) log(entry)
  if (entries.length === 0) write('  nothing: no request reached it')
}
