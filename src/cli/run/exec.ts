import { writeFile } from 'node:fs/promises'
import { stdin } from 'node:process'
import { wallNow } from '../../base/clock/wall.js'
import type { Emulator } from '../../emulator/emulator.js'
import { readyFileEntry } from '../announce.js'
import { runChild } from '../child.js'
import { warnOfVariables } from '../clients-variables.js'
import { settingsFrom } from '../options/settings.js'
import { checkNames } from '../../emulator/testing/checks/index.js'
import { findingsIn, type Finding } from '../../emulator/testing/client-checks.js'
import { problemsIn } from '../../emulator/testing/problems.js'
import { tracesOf, usedWorlds } from '../../emulator/testing/trace.js'
import { counted } from '../../base/text/counted.js'
import { milliseconds } from '../../base/text/duration.js'
import { version } from '../../base/text/version.js'
import { chooseReceiverPort } from '../receiver-port.js'
import {
  failedTraceLines,
  failureLines,
  pendingNow,
  type FailedRun,
  type PendingRow,
} from '../failure/command.js'
import { formatDuration } from '../report/format.js'
import { reproduction } from '../report/reproduction.js'
import { printable, type Output } from '../terminal.js'
import { requestLog } from '../request-log.js'
import { openPorts } from '../serve.js'
import { UsageError } from '../usage-error.js'
import type { ArgumentsOf, Run } from '../command.js'
import type { exec } from '../commands/exec.js'
import { assertKnown, environmentFor, proxyExceptions } from './exec-environment.js'

type Arguments = ArgumentsOf<typeof exec>

/** Runs a command with its own emulator, and exits as the command does. */
export const runCommand: Run<typeof exec> = async (args, context) => {
  const { terminal, environment, program } = context
  const { env: mappings = [], trace, coverage, checks = false, timeout, '--': command = [] } = args
  if (command.length === 0) {
    throw new UsageError('exec takes a command after two dashes: exec -- pytest -x')
  }
  const given = settingsFrom(args)
  assertKnown(mappings, given)
  const { webhooks, port: webhookPort } = await chooseReceiverPort(given.webhooks, mappings)
  const settings = { ...given, webhooks }
  const { port = 0, inferencePort = 0, sinkPort = 0 } = settings
  const { log = 'silent' } = args
  // Stdout belongs to the command.
  const { errors } = terminal
  const logged = requestLog(log, errors)
  const { emulator, listening, readyFile, stop } = await openPorts(
    { ...settings, port, inferencePort, sinkPort, log },
    { terminal, log: logged },
  )
  const { journal, seed } = emulator
  journal.subscribe((entry) => logged(entry, { journal }))
  let late: PendingRow[] | undefined
  const start = wallNow()
  try {
    readyFile.write(readyFileEntry({ emulator, settings, listening, version }))
    warnOfVariables({ args, by: 'exec' }, context)
    const ran = await runChild(command, {
      env: {
        ...environment,
        ...proxyExceptions(emulator, environment),
        ...environmentFor(emulator, mappings, webhookPort),
      },
      interactive: stdin.isTTY,
      timeout: timeout === undefined ? undefined : milliseconds(timeout),
      onTimeout: () => void (late = pendingNow(emulator)),
    })
    if (ran.failure !== undefined) {
      const why = `Failed to run ${printable(command[0]!)}: ${ran.failure}`
      terminal.writeError(why)
      await junit(
        emulator,
        { args, run: { command, code: ran.code, took: 0, again: [] }, why },
        errors,
      )
      return ran.code
    }
    const took = wallNow() - start
    const mistakes = checks ? mistakesIn(emulator) : []
    const { code } = ran
    const run = {
      command,
      code,
      took,
      again: [program, ...reproduction(args, seed)],
      mistakes,
      late,
    }
    const failed = code !== 0 || mistakes.length > 0
    if (failed) await report(emulator, { ...run, trace }, errors)
    await share(emulator, { args, run }, errors)
    await junit(emulator, { args, run }, errors)
    if (coverage) {
      const { printCoverage } = await import('../report/coverage.js')
      await printCoverage(emulator, coverage.value, errors)
    }
    return code === 0 && failed ? 1 : code
  } finally {
    await stop()
  }
}

/** Writes the files that share what happened. They are written after a success, too. */
async function share(
  emulator: Emulator,
  { args, run }: { args: Arguments; run: FailedRun },
  { write }: Output,
): Promise<void> {
  const { report: page, har, 'without-contents': without } = args
  if (page === undefined && har === undefined) return
  const { writeReports } = await import('../write-report.js')
  const { code, command, took, again, mistakes = [] } = run
  const found = counted(mistakes.length, 'mistake')
  const checked = mistakes.length === 0 ? '' : ` The client checks found ${found}.`
  const ended = `The command exited with code ${code} after ${formatDuration(took)}.${checked}`
  const failure = [...causeOf(emulator, run), ended].join('\n')
  const options = {
    title: printable(command.join(' ')),
    ...(code !== 0 || mistakes.length > 0 ? { failure } : {}),
    reproduce: again.join(' '),
    contents: without ? ('redacted' as const) : undefined,
  }
  try {
    for await (const { text } of writeReports(emulator, { report: page, har }, options)) write(text)
  } catch (error) {
    // The exit code is that of the command.
    write(`Failed to write the report: ${printable(String(error))}`)
  }
}

/**
 * The cause of a failure, in one line. A command that was stopped and a mistake of the client are sure. A test may
 * want what else failed, so that is only probable.
 */
function causeOf(emulator: Emulator, { late, mistakes = [] }: FailedRun): string[] {
  if (late) {
    const pending = late[0] ? `: ${late[0].what} ${late[0].which}, ${late[0].why}` : ''
    return [`The command did not end in time, and was stopped${pending}.`]
  }
  const [mistake] = mistakes
  if (mistake) return [`The client check ${mistake.check} failed: ${mistake.text}.`]
  const problems = problemsIn(emulator)
  // A refusal may be the start of a retry. Nothing undoes a failed job.
  const problem = problems.findLast(({ mark }) => mark === 'job') ?? problems.at(-1)
  if (!problem) return []
  const { mark, text } = problem
  // The other marks say less than the text: that there was no answer, or that it is an error.
  const isWord = mark === 'job' || /^\d/.test(mark)
  return [`Probable cause: ${isWord ? `${mark} ` : ''}${text}`]
}

/** Writes the report for CI systems. */
async function junit(
  emulator: Emulator,
  { args, run, why }: { args: Arguments; run: FailedRun; why?: string },
  { write }: Output,
): Promise<void> {
  if (args.junit === undefined) return
  const [{ writeJunit }, { execSuite }] = await Promise.all([
    import('../write-junit.js'),
    import('../report/exec-junit.js'),
  ])
  const checks = args.checks ? checkNames.filter((name) => name !== 'deliveries') : []
  await writeJunit(args.junit, execSuite(emulator, run, { checks, why }), { writeError: write })
}

/**
 * What the client checks find. The check of deliveries is off, as in `explore`: the emulator itself sends some of
 * them twice, and a command may end before the last ones arrive.
 */
function mistakesIn(emulator: Emulator): Finding[] {
  return usedWorlds(emulator).flatMap((world) => findingsIn(world, { deliveries: false }))
}

interface ExecFailure extends FailedRun {
  trace: string | undefined
}

/** Prints what failed and how to reproduce it, then what is still pending and what happened before. */
async function report(
  emulator: Emulator,
  { trace, ...failed }: ExecFailure,
  output: Output,
): Promise<void> {
  const { write } = output
  write('')
  failureLines(emulator, failed, output).forEach(write)
  if (trace !== undefined) {
    try {
      await writeFile(trace, `${tracesOf(emulator, { most: Infinity })}\n`)
      return write(`Wrote the trace to ${printable(trace)}.`)
    } catch (error) {
      write(`Failed to write the trace: ${printable((error as Error).message)}`)
    }
  }
  failedTraceLines(emulator, output).forEach(write)
}
