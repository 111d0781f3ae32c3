import { cancelTimer, startTimer } from '../../../base/clock/wall.js'
import { milliseconds } from '../../../base/text/duration.js'
import { isChatOperation } from '../../../service/contract/operation-names.js'
import type { ExploreReport, Trial } from '../../../tools/explore/exploration.js'
import { runExploration } from '../../../tools/explore/explore.js'
import { untriedText } from '../../../tools/explore/report.js'
import { background } from '../../background.js'
import { warnOfVariables } from '../../clients-variables.js'
import type { ArgumentsOf, Run } from '../../command.js'
import type { Context } from '../../context.js'
import { ownLogins } from '../../own-logins.js'
import { reportHosts, startInterception } from '../../run/interception.js'
import { Interruption } from '../../run/interruption.js'
import { withNetworkOf } from '../../run/no-network.js'
import { printable, printableJson, type Terminal } from '../../terminal.js'
import { UsageError } from '../../usage-error.js'
import { baselineLines } from './baseline-lines.js'
import { choicesIn, type Choices } from './choices.js'
import type { explore } from './command.js'
import { CommandRunner } from './command-runner.js'
import type { CommandExploration } from './findings.js'
import { writeOutputs } from './output-files.js'
import { Progress } from './progress.js'
import { exploredLines } from './report-lines.js'
import { CommandError } from './trial-run.js'
import { earlierLine, writeFailures } from './write-failures.js'

type Arguments = ArgumentsOf<typeof explore>

/** Runs a command with many scenarios, and finds the smallest ones that it does not survive. */
export const runCommand: Run<typeof explore> = (args, context) => {
  if (!args['--']?.length) {
    throw new UsageError('explore takes a command after two dashes: explore -- pytest -x')
  }
  return withNetworkOf(args, context.environment, () => runHere(args, context))
}

const runHere: Run<typeof explore> = async (args, context) => {
  const { environment } = context
  const choices = await choicesIn(args)
  const interception = await startInterception(args, environment)
  if (!interception) warnOfVariables({ args, by: 'explore' }, context)
  const logins = ownLogins(environment, interception?.hostnames)
  const exploring = exploringWith(choices, {
    args,
    context: { ...context, environment: { ...environment, ...logins.variables } },
    interception,
  })
  try {
    return await exploreAndReport(exploring, context)
  } finally {
    exploring.progress.stop()
    await exploring.runner.end()
    if (interception) reportHosts(interception, context.terminal.errors)
    exploring.interrupted.end()
    logins.remove()
    await interception?.end()
  }
}

/** An exploration, and what it uses while it runs. */
interface Exploring extends Choices {
  readonly args: Arguments
  readonly command: readonly string[]
  readonly runner: CommandRunner
  readonly progress: Progress
  readonly interrupted: Interruption
  /** Where people see what happens: nowhere with `--json`. */
  readonly shown: Terminal
}

interface Surroundings {
  readonly args: Arguments
  readonly context: Context
  readonly interception: Awaited<ReturnType<typeof startInterception>>
}

function exploringWith(choices: Choices, { args, context, interception }: Surroundings): Exploring {
  const { limits, rehearsal, settings } = choices
  const { terminal, environment } = context
  const { env: mappings = [], '--': command = [], timeout, state, 'as-is': isAsIs } = args
  const shown: Terminal = args.json ? { ...terminal, write() {}, statusArea: undefined } : terminal
  const runner = new CommandRunner({
    command,
    settings,
    mappings,
    environment,
    terminal,
    timeout: timeout === undefined ? undefined : milliseconds(timeout),
    interception,
    state,
    isAsIs,
  })
  if (rehearsal.assumption !== undefined) shown.write(rehearsal.assumption)
  const running = (): Iterable<Trial> => runner.running
  const progress = new Progress({ terminal: shown, ...limits, running })
  return { ...choices, args, command, runner, progress, interrupted: new Interruption(), shown }
}

/** Returns the exit code. */
async function exploreAndReport(exploring: Exploring, context: Context): Promise<number> {
  const { args, command, progress, interrupted } = exploring
  const { terminal } = context
  try {
    const { report, isSilent } = await exploreAll(exploring)
    if (report.ended === 'baseline' || isSilent) {
      progress.stop()
      if (args.json) terminal.write(printableJson(report, 2))
      baselineLines(report, exploring, context).forEach(terminal.errors.write)
      return 2
    }
    await writeAll(report, exploring, context)
    return interrupted.code ?? codeOf(report, exploring, terminal)
  } catch (error) {
    progress.stop()
    if (!(error instanceof CommandError)) throw error
    terminal.writeError(`Failed to run ${printable(command[0]!)}: ${error.message}`)
    return 2
  }
}

/** Tries everything. A command that never calls the emulator is silent: no scenario can change what it does. */
async function exploreAll(
  exploring: Exploring,
): Promise<{ report: ExploreReport; isSilent: boolean }> {
  const { args, limits, rehearsal, scenarios, runner, progress, interrupted } = exploring
  const { seed, skip } = args
  const { only, kills } = rehearsal
  const options = { ...limits, seed, scenarios, only, skip, kills }
  const silent = new AbortController()
  const report = await runExploration(
    {
      ...options,
      signal: AbortSignal.any([interrupted.signal, silent.signal]),
      onPlan: (plan) => progress.plan(plan),
      onRun(run) {
        if (!runner.called) return silent.abort()
        if (run.verdict === 'passed') runner.forget(run.number)
        progress.add(run)
      },
      onShrink: (step) => progress.shrunk(step),
    },
    runner.run,
  )
  await runner.idle()
  return { report, isSilent: silent.signal.aborted }
}

/** The exit code of an exploration in which nothing failed, because neither a fault nor a kill was tried. */
const UNTRIED = 3

/** The exit code of an exploration that went to its end. Says why one that found nothing is no success. */
function codeOf(
  { failures, untried }: ExploreReport,
  { args, runner }: Exploring,
  terminal: Terminal,
): number {
  if (failures.length > 0) return 1
  if (untried) {
    if (args.json) terminal.writeError(untriedText(untried, '--time'))
    return UNTRIED
  }
  const { calls = {}, created } = runner.baseline?.result.observed ?? {}
  if (created?.jobs !== 0 || Object.keys(calls).some(isChatOperation)) return 0
  terminal.writeError(
    'The command created no job and asked no chat, so its runs say nothing about a training loop.',
  )
  return 2
}

/** Runs each failure once more, prints what was found, and writes the files. */
async function writeAll(
  report: ExploreReport,
  exploring: Exploring,
  { terminal, program }: Context,
): Promise<void> {
  const { args, command, limits, runner, progress, interrupted, shown } = exploring
  const unwritten: string[] = []
  const time = timeFor(limits.time - report.took, runner)
  const findings = await writeFailures(
    { args, report, runner, program, parallel: limits.parallel },
    {
      signal: AbortSignal.any([interrupted.signal, time.signal]),
      say: (text) => progress.say(text),
      writeError: (text) => unwritten.push(text),
    },
  ).finally(time.end)
  const evidenceOf: CommandExploration['evidenceOf'] = (run) => runner.evidenceOf(run)
  const explored = { command, report, findings, evidenceOf }
  progress.stop()
  if (args.json) terminal.write(printableJson(report, 2))
  else {
    const look = { output: terminal, verbose: args.verbose ?? false }
    ;['', ...exploredLines(explored, look)].forEach(terminal.write)
    const earlier = await earlierLine(args, findings)
    if (earlier !== undefined) terminal.write(earlier)
  }
  unwritten.forEach(terminal.writeError)
  await writeOutputs(explored, args, shown)
}

/** A time that aborts its signal when it is over, or at once if no run can end in it. */
export function timeFor(
  left: number,
  { baseline }: Pick<CommandRunner, 'baseline'>,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const over = new AbortController()
  const abort = background.callback('end the time', () => over.abort())
  const isEnough = left > (baseline?.result.took ?? 0)
  const timer = isEnough ? startTimer(left, abort) : undefined
  if (!isEnough) over.abort()
  return { signal: over.signal, end: () => cancelTimer(timer) }
}
