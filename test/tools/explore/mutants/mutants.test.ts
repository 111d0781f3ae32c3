import { parseSync } from 'rolldown/utils'
import { describe, expect, it } from 'vitest'
import { explore, type ExploredRun, type OwnScenario } from '../../../../src/explore.js'
import { builtInScenario } from '../../../../src/service/scenario/built-in-scenarios.js'
import { demandScenarios } from '../../../../src/tools/explore/parts/demands.js'
import { observation } from '../observation.js'
import { keyOf, mutants, type Mutant } from './mistakes.js'
import { hasWebhooks, load, type Program, textOf, withChange } from './programs.js'

/** The runs of careful code, and one with an answer that is cut off, as scenarios of a user. */
const scenarios = new Map<string, OwnScenario>([
  ['cut-off-answers', { scenario: builtInScenario('cut-off-answers'), expects: 'any_end' }],
])
const known = { observed: observation(), problems: [], own: [], seed: 1 }
for (const run of demandScenarios.plan(known)) {
  const { name, scenario, expects } = run
  scenarios.set(name, { scenario: { ...scenario, name: 'mine' }, expects })
}

/** A mistake that one run shows. The loop without it passes that run. `npm run explore:mutants` hunts all of them. */
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
  // A warning that they get only under a fault.
  [
    'cut-off-answers',
    'accept-untrainable',
    'metrics',
    'training on many answers that were cut off (cutOffAnswers)',
  ],
]

describe('careful loops with one mistake', () => {
  it.each(shown)('show in the run %s: %s in %s', async (name, operator, program, title) => {
    const titlesOf = async (changed?: Mutant): Promise<string[]> => {
      const stopping = new AbortController()
      const onRun = ({ number }: ExploredRun): unknown => number === 2 && stopping.abort()
      const { failures } = await explore(await load(program, changed), {
        runs: 2,
        scenarios: [scenarios.get(name)!],
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
})
