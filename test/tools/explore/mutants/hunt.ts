import { explore, type ExploreFailure, type ExploreOptions } from '../../../../src/explore.js'
import type { Mutant } from './mistakes.js'
import { hasWebhooks, load, type Program } from './programs.js'

/** The runs of an exploration. All other options that decide what is found have their defaults. */
export const RUNS = 60

/** What an exploration found in a mutant. */
export interface Hunt {
  readonly found: boolean
  /** The run that failed first. Undefined if none did. */
  readonly run?: number
  /** The scenario of that run, and the failure in one line. */
  readonly scenario?: string
  readonly title?: string
  /** Failures of the mutant that the program without the mistake has, too. They are not counted. */
  readonly untrue: readonly string[]
  /** How many runs passed, if none failed. */
  readonly passed: number
}

/** Explores a mutant until a run fails that the program without the mistake passes. */
export async function hunt(mutant: Mutant): Promise<Hunt> {
  const { program } = mutant
  const code = await load(program, mutant)
  const untrue = new Set<string>()
  for (;;) {
    // Shrinking is not needed to know what fails.
    const stopping = new AbortController()
    const onRun: ExploreOptions['onRun'] = ({ verdict, reason }) => {
      if (verdict !== 'passed' && !untrue.has(reason ?? '')) stopping.abort()
    }
    const report = await explore(code, {
      ...optionsFor(program),
      signal: stopping.signal,
      onRun,
    })
    const passed = report.runs.filter(({ verdict }) => verdict === 'passed').length
    const failed = report.runs.find(
      ({ verdict, reason }) => verdict !== 'passed' && !untrue.has(reason ?? ''),
    )
    const failure = report.failures.find(({ number }) => number === failed?.failure)
    if (!failed || !failure) return { found: false, untrue: [...untrue], passed }
    if (report.ended === 'baseline' || (await isTrue(mutant, failure))) {
      const { number: run, name: scenario } = failed
      return { found: true, run, scenario, title: failure.title, untrue: [...untrue], passed }
    }
    untrue.add(failed.reason ?? '')
  }
}

export function optionsFor(
  program: Program,
  { seed = 1, runs = RUNS }: { seed?: number; runs?: number } = {},
): ExploreOptions {
  return { runs, seed, sink: hasWebhooks(program), parallel: 2 }
}

/** Whether a failure comes from the mistake: it comes again, and not in the program without the mistake. */
async function isTrue(
  mutant: Mutant,
  { scenario, seed, verdict, title, needsBaseline }: ExploreFailure,
): Promise<boolean> {
  const { program } = mutant
  // Where no job can succeed, only the program without the mistake ends with an error.
  const expects = verdict === 'failed' && needsBaseline !== true ? 'success' : 'any_end'
  const titlesIn = async (changed?: Mutant): Promise<string[]> => {
    const { failures } = await explore(await load(program, changed), {
      ...optionsFor(program, { seed, runs: 2 }),
      parallel: 1,
      scenarios: [{ scenario: { ...scenario, name: 'again' }, expects }],
    })
    return failures.map((failure) => failure.title)
  }
  return (await titlesIn(mutant)).includes(title) && (await titlesIn()).length === 0
}
