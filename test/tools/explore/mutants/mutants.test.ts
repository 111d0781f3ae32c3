import { parseSync } from 'rolldown/utils'
import { describe, expect, it } from 'vitest'
import { explore, type ExploredRun, type OwnScenario } from '../../../../src/explore.js'
import { builtInScenario } from '../../../../src/service/scenario/built-in-scenarios.js'
import type { Observation } from '../../../../src/tools/explore/exploration.js'
import { demandScenarios } from '../../../../src/tools/explore/parts/demands.js'
import { hunt } from './hunt.js'
import { keyOf, mutants, type Mutant } from './mistakes.js'
import { hasWebhooks, load, type Program, textOf, withChange } from './programs.js'

/** One mistake in each of five programs. `npm run explore:mutants` tries all of `mistakes.txt`, with 60 runs. */
const few: readonly (readonly [seed: number, operator: string, program: string, title: string])[] =
  [
    [1, 'retry-creation', 'poems', 'createRlTrainingJob was repeated blindly (duplicateJobs)'],
    [
      2,
      'delete-wrong',
      'best',
      'without any fault: createInferenceChatCompletion was refused with 404, and the code gave up',
    ],
    [3, 'ignore-failed-job', 'releases', 'a job was polled after its end (pollsPastTheEnd)'],
    [
      4,
      'parse-plainly',
      'sft',
      'listTrainingJobEvents was called again for the same events (eventsReadAgain)',
    ],
    [
      5,
      'use-unserved',
      'best',
      'createInferenceChatCompletion was refused with 404, and the code gave up',
    ],
  ]
const RUNS = 8

/** A mistake that one run of what careful code must do shows. The loop without it passes that run. */
const shown: readonly (readonly [
  scenario: string,
  operator: string,
  program: Program,
  title: string,
])[] = [
  ['idle-polls', 'drop-wait', 'tools', 'a job was polled again and again without a pause'],
  ['idle-polls', 'drop-wait', 'metrics', 'a call came back before its Retry-After (earlyRetries)'],
  [
    'passing-errors',
    'forget-status',
    'sft',
    'listTrainingJobEvents was refused with 429, and the code gave up',
  ],
  [
    'short-pages',
    'first-page-only',
    'releases',
    'the code failed: No checkpoint came after step 0',
  ],
]

/** Returns a run of careful code, as a scenario of a user. */
function demandFor(name: string): OwnScenario {
  const observed = { calls: {}, uses: [], deliveries: 0 } as unknown as Observation
  const known = { observed, problems: [], own: [], seed: 1 }
  const { scenario, expects } = [...demandScenarios.plan(known)].find((run) => run.name === name)!
  return { scenario: { ...scenario, name: 'mine' }, expects }
}

const cutOff: OwnScenario = { scenario: builtInScenario('cut-off-answers'), expects: 'any_end' }

describe('careful loops with one mistake', () => {
  it('fail with a warning that they get only under a fault', async () => {
    const titlesOf = async (changed?: Mutant): Promise<string[]> => {
      const code = await load('metrics', changed)
      const { failures } = await explore(code, { runs: 2, scenarios: [cutOff] })
      return failures.map(({ title }) => title)
    }
    const careless = mutants.find(({ operator }) => operator === 'accept-untrainable')!
    expect(await titlesOf(careless)).toEqual(['a client check failed (cutOffAnswers)'])
    expect(await titlesOf()).toEqual([])
  })

  it.each(shown)('show in the run %s: %s in %s', async (name, operator, program, title) => {
    const titlesOf = async (changed?: Mutant): Promise<string[]> => {
      const scenarios = [demandFor(name)]
      const stopping = new AbortController()
      const onRun = ({ number }: ExploredRun): unknown => number === 2 && stopping.abort()
      const { failures } = await explore(await load(program, changed), {
        runs: 2,
        scenarios,
        sink: hasWebhooks(program),
        signal: stopping.signal,
        onRun,
      })
      return failures.map((failure) => failure.title)
    }
    const isIt = (each: Mutant): boolean => each.operator === operator && each.program === program
    expect(await titlesOf(mutants.find(isIt))).toEqual([title])
    expect(await titlesOf()).toEqual([])
  })

  it('are 50 programs that can be read, and differ from the program', () => {
    expect(new Set(mutants.map(keyOf)).size).toBe(50)
    for (const { file, change } of mutants) {
      const text = textOf(file)
      const changed = withChange(text, change)
      expect(changed).not.toBe(text)
      expect(parseSync(`${file}.mjs`, changed).errors).toEqual([])
    }
  })

  it.each(few)(
    'are found by explore with seed %i: %s in %s',
    async (seed, operator, program, title) => {
      const isIt = (each: Mutant): boolean => each.operator === operator && each.program === program
      const found = await hunt(mutants.find(isIt)!, { seed, runs: RUNS })
      expect(found).toMatchObject({ found: true, title, untrue: [] })
    },
  )
})
