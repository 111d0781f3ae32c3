import { builtInScenario, builtInScenarioNames } from '../../service/scenario/built-in-scenarios.js'
import type { Scenario } from '../../service/scenario/scenario.js'
import { withoutDefaults } from '../../service/scenario/scenario-text.js'
import { shownScenario } from '../../service/scenario/shown.js'
import { TRACE_HEAD } from '../../base/text/evidence.js'
import { readJson } from '../../service/contract/answer-text.js'
import { HIDDEN } from '../../base/text/redaction/hidden.js'
import { playedInLog } from './command-again.js'
import { textIn } from './exchanges.js'
import { playOf, type SubmittedJob } from './play-part.js'
import { RecordingError } from './recording-error.js'
import { writeYaml } from './write-yaml.js'

/** The scenario that an emulator played, and the seed with which it plays the same again. */
export interface PlayedScenario {
  readonly scenario: Scenario
  readonly seed: number
  /** What was submitted to it, if the source knows. */
  readonly submitted?: readonly SubmittedJob[]
  /** What the source does not have, as sentences. */
  readonly notes: readonly string[]
  /** What happened and the scenario does not do, as sentences. Default: nothing. */
  readonly losses?: readonly string[]
}

/** Whether a text is the trace of an emulator, or a log that has one or says how to run the same again. */
export function namesRun(text: string): boolean {
  return TRACE_HEAD.test(text) || playedInLog(text).length > 0
}

/** How many runs a message names. */
const MOST_RUNS = 10

/**
 * Finds the scenario of a trace or a log, which names it and its seed.
 *
 * @throws {RecordingError} When it is not built in, or when there are traces of several.
 */
export function playedInText(
  text: string,
  file: string,
  world: string | undefined,
): PlayedScenario {
  const heads = Array.from(text.matchAll(new RegExp(TRACE_HEAD, 'g')), headOf)
  const what = heads.length > 0 ? 'trace' : 'log'
  const all: readonly NamedRun[] = heads.length > 0 ? heads : playedInLog(text)
  const own = all.filter((each) => world === undefined || each.world === world)
  const runs = new Map(own.map((each) => [`${each.name}, seed ${each.seed}`, each]))
  const [run, ...others] = runs.values()
  if (!run) {
    const worlds = [...new Set(all.flatMap((each) => each.world ?? []))].join(', ')
    throw new RecordingError(
      worlds === ''
        ? `"${file}" has no worlds. Leave out --world ${world}.`
        : `"${file}" has no trace of a world "${world}". It has: ${worlds}.`,
    )
  }
  if (others.length > 0) {
    const more = runs.size > MOST_RUNS ? `; and ${runs.size - MOST_RUNS} more` : ''
    throw new RecordingError(
      `"${file}" has ${what}s of ${runs.size} runs: ${[...runs.keys()].slice(0, MOST_RUNS).join('; ')}${more}. Save the one that you want to a file of its own.`,
    )
  }
  const { name, seed } = run
  if (!(builtInScenarioNames as readonly string[]).includes(name)) {
    throw new RecordingError(
      `"${file}" is the ${what} of the scenario "${name}" with seed ${seed}. That is not a built-in one, and a ${what} does not hold it. Play its file with --seed ${seed}. If nobody has it, make a scenario from the report or the HAR file of the run.`,
    )
  }
  return {
    scenario: builtInScenario(name),
    seed,
    notes: [
      `What a test changed while it ran, such as a fault that it added, is not in a ${what}.`,
    ],
  }
}

interface NamedRun {
  readonly world?: string | undefined
  readonly name: string
  readonly seed: number
}

/** Reads the first line of a trace. */
function headOf({ groups: { world, name = '', seed } = {} }: RegExpExecArray): NamedRun {
  return { world, name: textIn(readJson(name)?.value) ?? name, seed: Number(seed) }
}

/** Writes the file of a scenario that was played. Keys and secrets are left out. */
export function writePlayed(
  { scenario, seed, submitted = [], notes, losses = [] }: PlayedScenario,
  { source, name = scenario.name }: { source: string; name?: string | undefined },
): string {
  const body = withoutDefaults(shownScenario(scenario))
  const jobs = body.play ? [] : playOf(submitted)
  const isSecret = JSON.stringify(body).includes(HIDDEN)
  return writeYaml({ ...body, name, ...(jobs.length > 0 && { play: { jobs } }) }, [
    `The scenario "${scenario.name}" of ${source}, which was played with seed ${seed}.`,
    ...losses,
    ...notes,
    ...(isSecret ? [`Keys and secrets are left out. Write yours in place of ${HIDDEN}.`] : []),
  ])
}
