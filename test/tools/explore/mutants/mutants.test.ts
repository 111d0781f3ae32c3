import { describe, expect, it } from 'vitest'
import { explore, type ExploredRun, type OwnScenario } from '../../../../src/explore.js'
import { builtInScenario } from '../../../../src/service/scenario/built-in-scenarios.js'
import type { Observation } from '../../../../src/tools/explore/exploration.js'
import { demandScenarios } from '../../../../src/tools/explore/parts/demands.js'
import { allMutants, drawMutants, keyOf, MOST, type Mutant } from './draw.js'
import { drawn } from './drawn.js'
import { excluded, whyExcluded } from './excluded.js'
import { hunt } from './hunt.js'
import { operators } from './operators.js'
import { hasWebhooks, load, type Program, textOf, withChange } from './programs.js'
import { placesIn } from './syntax.js'

/** One mistake in each of five programs. `npm run explore:mutants` tries all that are drawn, with 60 runs. */
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
const all = allMutants()
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
    const careless = drawn().find(({ operator }) => operator === 'accept-untrainable')!
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
    expect(await titlesOf(drawn().find(isIt))).toEqual([title])
    expect(await titlesOf()).toEqual([])
  })

  it('are drawn from all that the operators make', () => {
    const made = new Set(all.map(({ operator }) => operator))
    expect(operators.filter(({ name }) => !made.has(name))).toEqual([])
    expect(new Set(all.map(keyOf)).size).toBe(all.length)
    const mutants = drawMutants(all, (mutant) => whyExcluded(mutant) !== undefined)
    expect(mutants.map(keyOf), 'Draw again: tsx test/tools/explore/mutants/redraw.ts').toEqual(
      drawn().map(keyOf),
    )
    expect(mutants.length).toBe(MOST)
  })

  it('are programs that can be read, and differ from the program', () => {
    for (const mutant of drawn()) {
      const text = textOf(mutant.file)
      const changed = withChange(text, mutant.change)
      expect(changed).not.toBe(text)
      expect(placesIn(`${mutant.file}.mjs`, changed).length).toBeGreaterThan(1)
    }
  })

  it('are excluded only with a reason that is about one of them', () => {
    const reasons = new Set(all.map(whyExcluded))
    expect(excluded.filter(({ reason }) => !reasons.has(reason))).toEqual([])
  })

  it.each(few)(
    'are found by explore with seed %i: %s in %s',
    async (seed, operator, program, title) => {
      const isIt = (each: Mutant): boolean => each.operator === operator && each.program === program
      const found = await hunt(drawn().find(isIt)!, { seed, runs: RUNS })
      expect(found).toMatchObject({ found: true, title, untrue: [] })
    },
  )
})
