import type { Emulator } from '../../emulator/emulator.js'
import { checkNames } from '../../service/scenario/check-names.js'
import {
  checksOfPrograms,
  findingsIn,
  findingText,
  type Finding,
} from '../../emulator/testing/client-checks.js'
import { groupedFindings } from '../../emulator/testing/grouped-findings.js'
import { tracesOf } from '../../emulator/testing/trace.js'
import { usedWorlds } from '../../emulator/testing/used-worlds.js'
import { commandFailure } from '../failure/command.js'
import type { CommandRun } from '../failure/command-run.js'
import { lossesPart } from '../failure/problems-part.js'
import { uncalledLines } from '../failure/why-command-failed.js'
import { commandSuite } from '../failure/command-suite.js'
import type { Failure } from '../failure/failure.js'
import type { JunitSuite } from '../failure/junit.js'
import { causeText, failureLines, partLines, plain } from '../failure/lines.js'
import { checkedLines } from '../report/checked-lines.js'
import { summaryLines, unnoticedLines } from '../report/unnoticed-lines.js'
import { failedTraceLines } from '../failure/trace.js'
import { shownOutput } from '../shown-output.js'
import { printable, printableLines, type Output } from '../terminal.js'
import type { ArgumentsOf } from '../command.js'
import type { exec } from '../commands/exec.js'
import { writeInFolder } from '../write-in-folder.js'
import { writeJunit } from '../write-junit.js'
import type { CommandLog } from './command-log.js'

type Arguments = ArgumentsOf<typeof exec>

/** How much of the stderr of a command a page shows. */
const LAST_LINES = 30

interface CommandEnd {
  readonly args: Arguments
  readonly run: CommandRun
  readonly watched: CommandLog
  /** The end of what the command printed to stderr, if that was kept. */
  readonly stderr: string
}

/** Writes the reports about a command that ended, and returns the exit code. */
export async function reportEnd(
  emulator: Emulator,
  { args, run: ended, watched, stderr }: CommandEnd,
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
  return failed && code === 0 ? 1 : code
}

/** Writes the files that share what happened. They are written after a success, too. */
async function share(
  emulator: Emulator,
  { args, run, failure, stderr }: Omit<CommandEnd, 'watched'> & { failure: Failure | undefined },
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
export async function junit(
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
