import { availableParallelism } from 'node:os'
import { milliseconds } from '../../../base/text/duration.js'
import type { OwnScenario } from '../../../tools/explore/exploration.js'
import { DEFAULT_RUNS, DEFAULT_TIME } from '../../../tools/explore/limits.js'
import { crashes } from '../../../tools/explore/parts/crashes.js'
import { allParts, namesIn } from '../../../tools/explore/parts/index.js'
import type { ArgumentsOf } from '../../command.js'
import { settingsFrom, type Settings } from '../../options/settings.js'
import { assertKnown } from '../../run/exec-environment.js'
import type { explore } from './command.js'
import { DRAWN } from './command-defaults.js'
import { assertNames } from './names.js'
import { assertOutputs } from './output-files.js'
import { rehearsalOf, type Rehearsal } from './rehearsal.js'
import { assertStateFolder } from './state-copy.js'

type Arguments = ArgumentsOf<typeof explore>

/** The most runs at once, if the user does not say. */
const MOST_AT_ONCE = 8

/** What the options choose. */
export interface Choices {
  readonly rehearsal: Rehearsal
  /** Those of the emulator of each run. */
  readonly settings: Settings
  readonly scenarios: readonly OwnScenario[]
  readonly limits: ExploreLimits
}

/** How much is tried. `time` is in milliseconds. */
export interface ExploreLimits {
  readonly runs: number
  readonly time: number
  readonly parallel: number
}

/**
 * Reads what the options choose. Nothing runs before that.
 *
 * @throws {UsageError} When something cannot be used: a name, a variable, or a place to write to.
 */
export async function choicesIn(args: Arguments): Promise<Choices> {
  const { scenario: files = [], ...values } = args
  const rehearsal = rehearsalOf(args)
  const settings = settingsFrom({ ...values, clock: rehearsal.clock })
  assertKnown(args.env ?? [], settings)
  const { only } = rehearsal
  const scenarios = await readOwn(files)
  assertNames({ only, skip: args.skip }, namesIn(allParts, scenarios))
  assertOutputs(args)
  if (args.state !== undefined) assertStateFolder(args.state)
  return { rehearsal, settings, scenarios, limits: limitsOf(args, only) }
}

function limitsOf(
  { runs, time = DEFAULT_TIME, parallel }: Arguments,
  only: Rehearsal['only'],
): ExploreLimits {
  return {
    runs: runsOf(runs, only),
    time: milliseconds(time),
    parallel: parallel ?? Math.min(availableParallelism(), MOST_AT_ONCE),
  }
}

/** The number of runs. Fewer are possible if only some scenarios are tried. The operations limit those with kills. */
function runsOf(given: number | undefined, only: Rehearsal['only']): number {
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
