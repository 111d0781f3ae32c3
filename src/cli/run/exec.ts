import { shownEntry } from '../../service/engine/shown-entry.js'
import { stdin } from 'node:process'
import { wallNow } from '../../base/clock/wall.js'
import { Redactor } from '../../base/text/redaction/redact.js'
import type { Emulator } from '../../emulator/emulator.js'
import { isChatOperation } from '../../service/contract/operation-names.js'
import { readyFileEntry } from '../announce.js'
import { runChild } from '../child.js'
import { warnOfVariables } from '../clients-variables.js'
import { secretsIn, type Environment } from '../environment.js'
import { settingsFrom, type Settings } from '../options/settings.js'
import { checkNames } from '../../service/scenario/check-names.js'
import {
  checksOfPrograms,
  findingsIn,
  findingText,
  type Finding,
} from '../../emulator/testing/client-checks.js'
import { groupedFindings } from '../../emulator/testing/grouped-findings.js'
import { tracesOf, usedWorlds } from '../../emulator/testing/trace.js'
import { milliseconds } from '../../base/text/duration.js'
import type { WarningOptions } from '../../service/engine/warnings.js'
import { CHAT_KEY } from '../../base/text/vendor/sdk-variables.js'
import { version } from '../../base/text/version.js'
import { warnOfIdleWebhooks } from '../../webhooks/sending/idle-webhooks.js'
import { chooseReceiverPort } from '../receiver-port.js'
import { commandFailure, lossesPart, uncalledLines, type CommandRun } from '../failure/command.js'
import { commandSuite } from '../failure/command-suite.js'
import type { Failure, PendingRow } from '../failure/failure.js'
import type { JunitSuite } from '../failure/junit.js'
import { causeText, failureLines, partLines, plain } from '../failure/lines.js'
import { pendingNow } from '../failure/pending.js'
import { checkedLines } from '../report/checked-lines.js'
import { summaryLines, unnoticedLines } from '../report/unnoticed-lines.js'
import { failedTraceLines } from '../failure/trace.js'
import { reproduction } from '../report/reproduction.js'
import { shownOutput } from '../shown-output.js'
import { printable, printableLines, type Output } from '../terminal.js'
import { requestLog, type Log, type RequestLog } from '../request-log.js'
import { ownLogins, type OwnLogins } from '../own-logins.js'
import { openPorts } from '../serve.js'
import { UsageError } from '../usage-error.js'
import type { ArgumentsOf, Run } from '../command.js'
import { exec } from '../commands/exec.js'
import { writeInFolder } from '../write-in-folder.js'
import { writeJunit } from '../write-junit.js'
import { billOfCommand, OVER_BUDGET, type ExecBill } from '../tools/bill/exec-bill.js'
import { assertKnown, environmentFor } from './exec-environment.js'
import type { Interception } from '../../emulator/intercept/interception.js'
import { reportHosts, startInterception } from './interception.js'
import { withNetworkOf } from './no-network.js'

type Arguments = ArgumentsOf<typeof exec>

/** How much of the stderr of a command a page shows. */
const LAST_LINES = 30

/** Runs a command with its own emulator, and exits as the command does. */
export const runCommand: Run<typeof exec> = (args, context) => {
  if (!args['--']?.length) {
    throw new UsageError('exec takes a command after two dashes: exec -- pytest -x')
  }
  return withNetworkOf(args, context.environment, () => runHere(args, context))
}

const runHere: Run<typeof exec> = async (args, context) => {
  const { terminal, environment, program } = context
  const { env: mappings = [], timeout, '--': command = [] } = args
  const given = settingsFrom(args)
  assertKnown(mappings, given)
  const { webhooks, port: webhookPort } = await chooseReceiverPort(given.webhooks, mappings)
  const settings = { ...given, webhooks }
  const { port = 0, inferencePort = 0, sinkPort = 0 } = settings
  const { log = 'silent' } = args
  // Stdout belongs to the command.
  const { errors } = terminal
  const watched = new CommandLog(requestLog(log, errors))
  const { emulator, listening, readyFile, stop } = await openPorts(
    { ...settings, port, inferencePort, sinkPort, log },
    { terminal, log: watched.log, usualWarnings: usualWarningsOf(settings) },
  )
  const { seed } = emulator
  watched.watch(emulator)
  let late: PendingRow[] | undefined
  let interception: Interception | undefined
  let logins: OwnLogins | undefined
  const start = wallNow()
  try {
    const bill = await billOfCommand(args, emulator, errors)
    interception = await startInterception(args, environment)
    logins = ownLogins(environment, interception?.hostnames)
    const proxy = await interception?.openTo(emulator)
    readyFile.write(readyFileEntry({ emulator, settings, listening, version }))
    if (!interception) warnOfVariables({ args, by: 'exec' }, context)
    const needs = { mappings, port: webhookPort, intercepted: proxy?.variables }
    const led = environmentFor(emulator, environment, needs)
    const env: Environment = { ...environment, ...logins.variables, ...led }
    const ran = await runChild(command, {
      env,
      interactive: stdin.isTTY,
      timeout: timeout === undefined ? undefined : milliseconds(timeout),
      onTimeout: () => void (late = pendingNow(emulator)),
      // A page is read by somebody who does not see the terminal. On a terminal, the command keeps its colors.
      keepsErrors: args.report !== undefined && errors.columns === undefined,
    })
    if (interception) reportHosts(interception, errors)
    const { code, failure } = ran
    // Its own keys are unknown to the emulator.
    const stderr = new Redactor({ secrets: secretsIn(environment) }).redact(ran.stderr ?? '')
    if (failure === undefined) {
      const took = wallNow() - start
      const again = [program, ...reproduction(exec, args, { seed })]
      const lacksChatKey = !env[CHAT_KEY]
      const called = interception?.called
      const run = { command, code, took, again, late, lacksChatKey, called }
      return await reportEnd(emulator, { args, run, bill, watched, stderr }, errors)
    }
    const why = `Failed to run ${printable(command[0]!)}: ${failure}`
    terminal.writeError(why)
    await junit(emulator, { args, run: { command, code, took: 0, again: [] }, why }, errors)
    return code
  } finally {
    logins?.remove()
    await interception?.end()
    await stop()
  }
}

/** A user who chose real time knows that it passes. */
function usualWarningsOf({ clock, speed }: Settings): WarningOptions['usual'] {
  return clock === 'real' || speed !== undefined ? ['real-time-polls'] : undefined
}

/** A log that counts chats, and remembers the warnings of all worlds, each once. Stderr belongs to the command until it has ended. */
class CommandLog {
  readonly log: Log
  readonly flush: () => void
  /** How many chats were answered. */
  chats = 0
  readonly #warnings = new Map<string, string>()

  constructor({ log, flush }: RequestLog) {
    this.flush = flush
    this.log = (entry, source) => {
      if (entry.kind === 'note' && entry.warning) {
        const { name } = entry.warning
        if (!this.#warnings.has(name)) this.#warnings.set(name, shownEntry(entry).text)
      }
      const isChat = entry.kind === 'request' && isChatOperation(entry.operation)
      if (isChat && entry.status === 200) this.chats++
      log(entry, source)
    }
  }

  /** Logs what happens in an emulator, beginning with what cannot happen. */
  watch({ journal, engine, webhooks }: Emulator): void {
    journal.subscribe((entry) => this.log(entry, { journal }))
    warnOfIdleWebhooks(engine.warnings, webhooks.parts, engine.scenario.auth)
  }

  get warnings(): string[] {
    return Array.from(this.#warnings.values(), (text) => printable(text.replace(/^w/, 'W')))
  }
}

interface CommandEnd {
  readonly args: Arguments
  readonly run: CommandRun
  readonly bill: ExecBill | undefined
  readonly watched: CommandLog
  /** The end of what the command printed to stderr, if that was kept. */
  readonly stderr: string
}

/** Writes the reports about a command that ended, and returns the exit code. */
async function reportEnd(
  emulator: Emulator,
  { args, run: ended, bill, watched, stderr }: CommandEnd,
  errors: Output,
): Promise<number> {
  const { checks, trace } = args
  const { code, late } = ended
  watched.flush()
  // A log was asked for, or refused.
  if (args.log === undefined) watched.warnings.forEach(errors.write)
  const isChecked = asksForChecks(args)
  const all = isChecked ? mistakesIn(emulator, { warningsFail: checks?.value === 'fail' }) : []
  // A command that was stopped did not come to the end of its runs.
  const found = all.filter(({ check }) => !late || check !== 'unfinishedRuns')
  const mistakes = found.filter(({ severity }) => severity === 'fail')
  const warnings = found.filter(({ severity }) => severity === 'warn')
  for (const each of groupedFindings(warnings)) errors.write(`Warning: ${findingText(each)}`)
  if (isChecked) checkedLines(emulator, found).forEach(errors.write)
  const run = { ...ended, mistakes }
  const failed = code !== 0 || mistakes.length > 0
  if (args.log !== 'silent') {
    const summary = failed
      ? []
      : [...summaryLines(emulator, watched), ...uncalledLines(emulator, ended)]
    const lines = [...unnoticedLines(emulator, { failed }), ...summary]
    lines.map(printable).forEach(errors.write)
  }
  const failure = failed ? commandFailure(emulator, run) : undefined
  if (failure) ['', ...failureLines(failure, errors), ''].forEach(errors.write)
  else
    lossesPart(emulator)
      .flatMap((part) => partLines(part, errors))
      .forEach(errors.write)
  const isWritten = trace !== undefined && (await writeTrace(emulator, { trace, failure }, errors))
  if (failure && !isWritten) failedTraceLines(emulator, errors).forEach(errors.write)
  await share(emulator, { args, run, failure, stderr }, errors)
  await junit(emulator, { args, run }, errors)
  const isWithin = bill?.end() ?? true
  if (code !== 0) return code
  if (failed) return 1
  return isWithin ? 0 : OVER_BUDGET
}

/** Writes the files that share what happened. They are written after a success, too. */
async function share(
  emulator: Emulator,
  {
    args,
    run,
    failure,
    stderr,
  }: Omit<CommandEnd, 'bill' | 'watched'> & { failure: Failure | undefined },
  { write }: Output,
): Promise<void> {
  const { report: page, har, 'without-contents': without } = args
  if (page === undefined && har === undefined) return
  const { writeReports } = await import('../write-report.js')
  const options = {
    title: printable(run.command.join(' ')),
    // It may quote prompts.
    ...(failure && {
      failure: whyItFailed(failure, without ? '' : stderr),
      ended: !run.late && run.mistakes !== undefined && run.mistakes.length > 0,
    }),
    reproduce: run.again.join(' '),
    contents: without ? ('redacted' as const) : undefined,
    write,
    writeError: write,
  }
  try {
    await writeReports(emulator, { report: page, har }, options)
  } catch (error) {
    // The exit code is that of the command.
    write(`Failed to write the report: ${printable(String(error))}`)
  }
}

/** Writes the report for CI systems. */
async function junit(
  emulator: Emulator,
  { args, run, why }: { args: Arguments; run: CommandRun; why?: string },
  { write }: Output,
): Promise<void> {
  const checks = asksForChecks(args) ? checkNames.filter((name) => name !== 'deliveries') : []
  const suite = (): JunitSuite => commandSuite(emulator, run, { checks, why })
  await writeJunit(args.junit, suite, { writeError: write })
}

function asksForChecks({ checks }: Arguments): boolean {
  return checks !== undefined && checks.value !== false
}

/** What the client checks find. */
function mistakesIn(emulator: Emulator, { warningsFail }: { warningsFail: boolean }): Finding[] {
  return usedWorlds(emulator).flatMap((world) => {
    // Jobs of several worlds have the same ids.
    const place = world.worldName === null ? '' : `${world.worldName}: `
    return findingsIn(world, checksOfPrograms(world)).map((found): Finding => {
      const severity = warningsFail ? 'fail' : found.severity
      return { ...found, text: place + found.text, severity }
    })
  })
}

/** What a page says first: what failed here, and what the command said of it. */
function whyItFailed(failure: Failure, stderr: string): string {
  const last = printableLines(shownOutput(stderr))
    .trimEnd()
    .split('\n')
    .slice(-LAST_LINES)
    .join('\n')
  const said = last && `\n\nThe last lines of its stderr:\n${last}`
  return `${causeText(failure)}${said}`
}

/** Writes what happened, below what failed, and returns whether that worked. */
function writeTrace(
  emulator: Emulator,
  { trace, failure }: { trace: string; failure: Failure | undefined },
  { write }: Output,
): Promise<boolean> {
  const head = failure ? [...failureLines(failure, plain), '', ''].join('\n') : ''
  const text = `${head}${tracesOf(emulator, { most: Infinity })}\n`
  return writeInFolder(trace, { what: 'the trace', text }, { write, writeError: write })
}
