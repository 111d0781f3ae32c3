import { startBeat, wallNow } from '../../base/clock/wall.js'
import { milliseconds } from '../../base/text/duration.js'
import type { Scenario } from '../../service/scenario/scenario.js'
import { DEFAULT_SCENARIO } from '../../service/scenario/built-in-scenarios.js'
import type { Emulator } from '../../emulator/emulator.js'
import { checksOfPrograms, findingsIn } from '../../emulator/testing/client-checks.js'
import { billOf } from '../../tools/bill/bill.js'
import type { Prices } from '../../tools/bill/prices-input.js'
import type { Interception } from '../../tools/intercept/interception.js'
import { formatKill, type Kill } from '../../tools/explore/crash/kill.js'
import type { TrialResult } from '../../tools/explore/exploration.js'
import type { ArgumentsOf, Run } from '../command.js'
import { chooseScenario } from '../choose-scenario.js'
import type { Context } from '../context.js'
import type { preflight } from '../commands/preflight.js'
import { CommandError, CommandRunner, type RunnerOptions } from '../explore/command-runner.js'
import { rehearsalOf, type Rehearsal } from '../explore/rehearsal.js'
import { settingsFrom, type Settings } from '../options/settings.js'
import type { ValuesOf } from '../options/declare.js'
import type { serveOptions } from '../options/serve.js'
import { ownLogins } from '../own-logins.js'
import {
  billCheck,
  callsCheck,
  dataChecks,
  hostsCheck,
  killCheck,
  programCheck,
  type FirstRun,
  type MoreCommands,
} from '../preflight/checks.js'
import { DEFAULT_TIMEOUT } from '../preflight/defaults.js'
import { rehearse, worstKill, type KillOutcome } from '../preflight/rehearse.js'
import { obstacles, reportJson, type PreflightReport } from '../preflight/report.js'
import { screenLines } from '../preflight/screen.js'
import { formatDuration } from '../report/format.js'
import { sameCommand } from '../report/reproduction.js'
import { printable, printableLines, type Terminal } from '../terminal.js'
import { cut } from '../text-width.js'
import { UsageError } from '../usage-error.js'
import { assertKnown } from './exec-environment.js'
import { readLimits } from './exec-bill.js'
import { NOT_INTERCEPTED, POLLS } from './explore.js'
import { Interruption } from './interruption.js'
import { startInterception } from './interception.js'
import { withNetworkOf } from './no-network.js'

type Arguments = ArgumentsOf<typeof preflight>

/** Runs a command with its own emulator, kills it once, and says whether it is ready for a long training. */
export const runCommand: Run<typeof preflight> = (given, context) => {
  if (!given['--']?.length) {
    throw new UsageError('preflight takes a command after two dashes: preflight -- python train.py')
  }
  const args = { ...given, intercept: given.intercept ?? [] }
  return withNetworkOf(args, context.environment, () => runHere(args, context))
}

const runHere: Run<typeof preflight> = async (args, context) => {
  const { terminal, environment } = context
  const { env: mappings = [], state, json = false, '--': command = [] } = args
  const rehearsal = rehearsalOf({ ...args, crash: true })
  const settings = settingsOf({ ...args, clock: rehearsal.clock })
  assertKnown(mappings, settings)
  const { prices } = await readLimits(args)
  const { scenario } = await chooseScenario(args.scenario ?? DEFAULT_SCENARIO)
  const interception = (await startInterception(args, environment))!
  const logins = ownLogins(environment, interception.hostnames)
  const interrupted = new Interruption()
  const shown = json ? { ...terminal, statusArea: undefined } : terminal
  const runs = new Runs(
    args,
    { scenario, prices, terminal: shown, signal: interrupted.signal },
    {
      command,
      settings,
      mappings,
      environment: { ...environment, ...logins.variables },
      terminal,
      timeout: milliseconds(args.timeout ?? DEFAULT_TIMEOUT),
      interception,
      state,
    },
  )
  try {
    const report = await checkAll(args, { runs, rehearsal, interception, context })
    if (!report) {
      sayUncalled(command, context)
      return 2
    }
    if (json) terminal.write(printableLines(JSON.stringify(reportJson(report), null, 2)))
    else screenLines(report, terminal).forEach(terminal.write)
    return obstacles(report).length === 0 ? 0 : 1
  } catch (error) {
    if (interrupted.code !== undefined) {
      terminal.writeError('Interrupted, so nothing is decided.')
      return interrupted.code
    }
    if (!(error instanceof CommandError)) throw error
    terminal.writeError(`Failed to run ${printable(command[0]!)}: ${error.message}`)
    return 2
  } finally {
    await runs.end()
    interrupted.end()
    logins.remove()
    await interception.end()
  }
}

/** The settings of the emulator of each run. */
function settingsOf(args: Arguments): Settings {
  return settingsFrom(args as unknown as ValuesOf<typeof serveOptions>)
}

interface Checking {
  readonly runs: Runs
  readonly rehearsal: Rehearsal
  readonly interception: Interception
  readonly context: Context
}

/** Runs the command as often as it takes. Undefined if it calls no emulator, so that nothing can be judged. */
async function checkAll(
  args: Arguments,
  { runs, rehearsal: { clock, assumption }, interception, context: { program } }: Checking,
): Promise<PreflightReport | undefined> {
  const first = await runs.first()
  if (!first) return undefined
  const outcome = await killOnce(first, { runs, kills: args['crash-at'] })
  const more = moreCommands(args, { clock, program, kill: outcome?.kill })
  const hosts = hostsCheck(interception.called)
  const checks = [
    programCheck(first, more, clock === 'auto' ? POLLS : undefined),
    ...(hosts ? [hosts] : []),
    callsCheck(first, more),
    ...dataChecks(first, more),
    killCheck(outcome, first, { more, assumption }),
    billCheck(first, more),
  ]
  return { command: args['--'] ?? [], checks, bill: first.bill, took: runs.took }
}

interface RunsOptions {
  readonly scenario: Scenario
  readonly prices: Prices | undefined
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

/** The runs of a command, one after the other. */
class Runs {
  /** How long each took, in milliseconds. */
  readonly took: number[] = []
  readonly #args: Arguments
  readonly #options: RunsOptions
  readonly #runner: CommandRunner
  #seen: Pick<FirstRun, 'findings' | 'bill'> | undefined

  constructor(args: Arguments, options: RunsOptions, runner: RunnerOptions) {
    this.#args = args
    this.#options = options
    this.#runner = new CommandRunner({
      ...runner,
      // The bill has the time of the run.
      isAsIs: true,
      onEnd: (emulator, { number }) => {
        if (number === 1) this.#seen = this.#see(emulator)
      },
    })
  }

  /** The run without a kill. Undefined if the command ended without a call. */
  async first(): Promise<FirstRun | undefined> {
    const result = await this.run()
    if (result.ended === 'success' && !this.#runner.called) return undefined
    return { result, code: this.#runner.evidenceOf(1)!.code, ...this.#seen! }
  }

  /** Runs the command once. Throws if it was interrupted. */
  readonly run = async (kill?: Kill): Promise<TrialResult> => {
    const { signal, scenario, terminal } = this.#options
    const { seed = 1, '--': command = [] } = this.#args
    const number = this.took.length + 1
    const stop = showRun(command, { number, isKilled: kill !== undefined }, terminal)
    const kind = kill ? 'crashes' : 'scenario'
    const name = kill ? formatKill(kill) : scenario.name
    try {
      const expects = 'success'
      const trial = { number, name, kind, scenario, seed, kill, expects, compares: true } as const
      const result = await this.#runner.run(trial, signal)
      this.took.push(result.took)
      signal.throwIfAborted()
      return result
    } finally {
      stop()
    }
  }

  /** Resolves when no command runs any more. */
  end(): Promise<void> {
    return this.#runner.end()
  }

  #see(emulator: Emulator): Pick<FirstRun, 'findings' | 'bill'> {
    const { budget, steps } = this.#args
    return {
      findings: findingsIn(emulator, checksOfPrograms(emulator)),
      bill: billOf([emulator], { prices: this.#options.prices, budget, steps }),
    }
  }
}

/** Kills the command where the user says, or where it costs most. Undefined if that is not possible. */
async function killOnce(
  { result: { ended, observed } }: FirstRun,
  { runs, kills }: { runs: Pick<Runs, 'run'>; kills: readonly Kill[] | undefined },
): Promise<KillOutcome | undefined> {
  const { work } = observed
  if (ended !== 'success' || !work) return undefined
  let outcome: KillOutcome | undefined
  for (const kill of kills ?? [worstKill(work)]) {
    if (!kill) return undefined
    outcome = await rehearse(kill, work, runs.run)
    if (outcome.verdict !== 'survived') return outcome
  }
  return outcome
}

/** The commands that show more about each check, with the options of this run. */
function moreCommands(
  args: Arguments,
  { clock, program, kill }: { clock: Arguments['clock']; program: string; kill: Kill | undefined },
): MoreCommands {
  const {
    bill,
    budget,
    steps,
    state,
    timeout,
    json: _,
    'crash-at': __,
    $0: ___,
    ...common
  } = args as Arguments & { $0?: string }
  const exec = (own: object): string[] => {
    return [program, ...sameCommand({ ...own, ...common, clock }, 'exec')]
  }
  const explored = { 'crash-at': kill && [kill], state, timeout, ...common }
  return {
    run: exec({ timeout }),
    checks: exec({ checks: true }),
    bill: exec({ bill, budget, steps }),
    kill: [program, ...sameCommand(explored, 'explore')],
  }
}

/** Shows which run is under way. Returns a function that stops it. */
function showRun(
  command: readonly string[],
  { number, isKilled }: { number: number; isKilled: boolean },
  { statusArea }: Terminal,
): () => void {
  if (!statusArea) return () => {}
  const start = wallNow()
  const what = isKilled ? 'with a kill' : 'without a kill'
  const draw = (): void => {
    const seconds = Math.floor((wallNow() - start) / 1000) * 1000
    const text = `Run ${number}, ${what}: ${formatDuration(seconds)}  ${printable(command.join(' '))}`
    statusArea.show(({ columns }) => [cut(text, columns)])
  }
  const stopBeat = startBeat(500, draw)
  draw()
  return () => {
    stopBeat()
    statusArea.show(() => [])
  }
}

/** Says that a command calls no emulator, so that nothing can be judged. */
function sayUncalled(command: readonly string[], { terminal: { errors }, program }: Context): void {
  const { paint, write } = errors
  const shown = printable(command.join(' '))
  write(
    paint(['bold', 'red'], `${shown} ended, and never called the emulator. Nothing can be judged.`),
  )
  NOT_INTERCEPTED.forEach(write)
  write(`Read more: ${program} docs clients`)
}
