import { availableParallelism } from 'node:os'
import { DEFAULT_RUNS, DEFAULT_TIME } from '../../../tools/explore/limits.js'
import { runExploration } from '../../../tools/explore/explore.js'
import type { ExploreReport, OwnScenario, Trial } from '../../../tools/explore/exploration.js'
import { crashes } from '../../../tools/explore/parts/crashes.js'
import { allParts, namesIn } from '../../../tools/explore/parts/index.js'
import { untriedText } from '../../../tools/explore/report.js'
import { milliseconds } from '../../../base/text/duration.js'
import { isChatOperation } from '../../../service/contract/operation-names.js'
import { warnOfVariables } from '../../clients-variables.js'
import type { ArgumentsOf, Run } from '../../command.js'
import type { Context } from '../../context.js'
import { baselineLines } from './baseline-lines.js'
import type { explore } from './command.js'
import { DRAWN } from './command-defaults.js'
import { CommandRunner } from './command-runner.js'
import { CommandError } from './trial-run.js'
import type { CommandExploration } from './findings.js'
import { assertNames } from './names.js'
import { assertOutputs, writeOutputs } from './output-files.js'
import { Progress } from './progress.js'
import { rehearsalOf, type Rehearsal } from './rehearsal.js'
import { exploredLines } from './report-lines.js'
import { assertStateFolder } from './state-copy.js'
import { earlierLine, writeFailures } from './write-failures.js'
import { settingsFrom } from '../../options/settings.js'
import { ownLogins } from '../../own-logins.js'
import { printable, printableJson, type Terminal } from '../../terminal.js'
import { UsageError } from '../../usage-error.js'
import { assertKnown } from '../../run/exec-environment.js'
import { reportHosts, startInterception } from '../../run/interception.js'
import { Interruption } from '../../run/interruption.js'
import { withNetworkOf } from '../../run/no-network.js'

type Arguments = ArgumentsOf<typeof explore>

/** The most runs at once, if the user does not say. */
const MOST_AT_ONCE = 8

/** Runs a command with many scenarios, and finds the smallest ones that it does not survive. */
export const runCommand: Run<typeof explore> = (args, context) => {
  if (!args['--']?.length) {
    throw new UsageError('explore takes a command after two dashes: explore -- pytest -x')
  }
  return withNetworkOf(args, context.environment, () => runHere(args, context))
}

const runHere: Run<typeof explore> = async (args, context) => {
  const { terminal, environment } = context
  const { env: mappings = [], '--': command = [] } = args
  const rehearsal = rehearsalOf(args)
  const { scenario: files = [], ...values } = args
  const settings = settingsFrom({ ...values, clock: rehearsal.clock })
  assertKnown(mappings, settings)
  const { only } = rehearsal
  const { skip } = args
  const scenarios = await readOwn(files)
  assertNames({ only, skip }, namesIn(allParts, scenarios))
  assertOutputs(args)
  if (args.state !== undefined) assertStateFolder(args.state)
  const limits = limitsOf({ ...args, only: only && [...only] })
  const interception = await startInterception(args, environment)
  if (!interception) warnOfVariables({ args, by: 'explore' }, context)
  const shown: Terminal = args.json ? { ...terminal, write() {}, statusArea: undefined } : terminal
  const logins = ownLogins(environment, interception?.hostnames)
  const runner = new CommandRunner({
    command,
    settings,
    mappings,
    environment: { ...environment, ...logins.variables },
    terminal,
    timeout: args.timeout === undefined ? undefined : milliseconds(args.timeout),
    interception,
    state: args.state,
    isAsIs: args['as-is'],
  })
  const interrupted = new Interruption()
  const running = (): Iterable<Trial> => runner.running
  if (rehearsal.assumption !== undefined) shown.write(rehearsal.assumption)
  const progress = new Progress({ terminal: shown, ...limits, running })
  const exploring = { args, command, limits, rehearsal, scenarios, runner, progress, interrupted }
  try {
    const { report, isSilent } = await exploreAll(exploring)
    if (report.ended === 'baseline' || isSilent) {
      progress.stop()
      if (args.json) terminal.write(printableJson(report, 2))
      baselineLines(report, exploring, context).forEach(terminal.errors.write)
      return 2
    }
    await writeAll(report, exploring, { ...context, shown })
    return interrupted.code ?? codeOf(report, exploring, terminal)
  } catch (error) {
    progress.stop()
    if (!(error instanceof CommandError)) throw error
    terminal.writeError(`Failed to run ${printable(command[0]!)}: ${error.message}`)
    return 2
  } finally {
    progress.stop()
    await runner.end()
    if (interception) reportHosts(interception, terminal.errors)
    interrupted.end()
    logins.remove()
    await interception?.end()
  }
}

interface Exploring {
  readonly args: Arguments
  readonly command: readonly string[]
  readonly limits: ReturnType<typeof limitsOf>
  readonly rehearsal: Rehearsal
  readonly scenarios: readonly OwnScenario[]
  readonly runner: CommandRunner
  readonly progress: Progress
  readonly interrupted: Interruption
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
  { args, command, limits, runner, progress, interrupted }: Exploring,
  { terminal, program, shown }: Context & { shown: Terminal },
): Promise<void> {
  const { parallel } = limits
  const unwritten: string[] = []
  const findings = await writeFailures(
    { args, report, runner, program, parallel },
    {
      signal: AbortSignal.any([interrupted.signal, untilTheEnd(limits.time - report.took, runner)]),
      say: (text) => progress.say(text),
      writeError: (text) => unwritten.push(text),
    },
  )
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

/** Aborts when the time is over, or at once if no run can end in it. */
function untilTheEnd(left: number, { baseline }: CommandRunner): AbortSignal {
  const isEnough = left > (baseline?.result.took ?? 0)
  return isEnough ? AbortSignal.timeout(left) : AbortSignal.abort()
}

/** How much is tried. */
function limitsOf(args: Arguments): { runs: number; time: number; parallel: number } {
  return {
    runs: runsOf(args),
    time: milliseconds(args.time ?? DEFAULT_TIME),
    parallel: args.parallel ?? Math.min(availableParallelism(), MOST_AT_ONCE),
  }
}

/** The number of runs. Fewer are possible if only some scenarios are tried. The operations limit those with kills. */
function runsOf({ runs: given, only }: Arguments): number {
  if (given === undefined && only?.every((name) => name === crashes.kind)) return Infinity
  const runs = given ?? DEFAULT_RUNS
  if (!only || only.some((name) => Object.hasOwn(DRAWN, name))) return runs
  return Math.min(runs, 1 + new Set(only).size)
}

async function readOwn(files: readonly string[]): Promise<OwnScenario[]> {
  if (files.length === 0) return []
  const { readScenarioFile } = await import('../../../service/scenario/scenario-file.js')
  const { builtInScenario } = await import('../../../service/scenario/built-in-scenarios.js')
  const { isFile } = await import('../../choose-scenario.js')
  const read = files.map(async (file) => {
    return { scenario: isFile(file) ? await readScenarioFile(file) : builtInScenario(file) }
  })
  return Promise.all(read)
}
