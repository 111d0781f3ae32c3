import { formatKill } from '../../../tools/explore/crash/kill.js'
import type { ExploreFailure, Trial } from '../../../tools/explore/exploration.js'
import { judge } from '../../../tools/explore/judge.js'
import { readScenarioFile } from '../../../service/scenario/scenario-file.js'
import type { ArgumentsOf } from '../../command.js'
import { exec } from '../../commands/exec.js'
import { reproduction } from '../../report/reproduction.js'
import { explore } from './command.js'
import type { CommandRunner } from './command-runner.js'
import type { Evidence } from './ended-trial.js'

/** How an exploration was started. */
export interface ExploreStart {
  readonly args: ArgumentsOf<typeof explore>
  readonly runner: CommandRunner
  /** What a user types to start this program. */
  readonly program: string
}

/** Returns the command that repeats a failure. Only a kill shows one that has no file. */
export function commandFor(
  { seed, needsBaseline = false, kill }: ExploreFailure,
  file: string | undefined,
  { args, runner, program }: ExploreStart,
): string {
  if (kill) {
    const chosen = { 'crash-at': [formatKill(kill)] }
    return [program, ...reproduction(explore, args, { seed, chosen })].join(' ')
  }
  const given = { ...args, scenario: file }
  if (needsBaseline) {
    return [program, ...reproduction(explore, given, { seed, chosen: { runs: 2 } })].join(' ')
  }
  const { clock = 'instant', timeout = `${Math.ceil(runner.timeout / 1000)}s` } = args
  const again = { ...given, clock, timeout, checks: { value: undefined } }
  return [program, ...reproduction(exec, again, { seed })].join(' ')
}

/** Runs the command with the file of a failure, as the user will. Undefined if it was interrupted. */
export async function repeat(
  failure: ExploreFailure,
  { runner, file, signal }: { runner: CommandRunner; file: string; signal: AbortSignal },
): Promise<{ failed: boolean; evidence: Evidence } | undefined> {
  const scenario = await readScenarioFile(file)
  const trial: Trial = {
    number: 0,
    name: scenario.name,
    kind: 'scenario',
    scenario,
    seed: failure.seed,
    expects: 'success',
  }
  const { result, evidence } = await runner.repeat(trial, signal)
  if (signal.aborted) return undefined
  const { mistakes } = judge(trial, result, runner.baseline?.result.observed)
  return { failed: mistakes.some(({ signature }) => signature === failure.signature), evidence }
}
