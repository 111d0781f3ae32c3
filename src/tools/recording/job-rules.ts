import { fieldsOf, listIn } from './exchanges.js'
import type { Lifecycle, ScenarioPart } from './lifecycles.js'
import type { SeenJob } from './jobs-seen.js'
import { nameOf } from './unfinished-jobs.js'

/** Jobs with the same lifecycle, and what selects them. */
export interface JobRules {
  readonly jobs: readonly ScenarioPart[]
  /** Checkpoints on the way of jobs, as entries of the timeline of the scenario. */
  readonly timeline: readonly ScenarioPart[]
  /** What is left out, as sentences. */
  readonly notes: readonly string[]
}

/** With more names and values in the rules of jobs, a file is longer than a scenario may be. */
const MOST_VALUES = 45_000

/**
 * Writes one rule for each lifecycle. Equal ones are merged. The rule that most jobs follow comes last and has no
 * `match`, so that it also applies to jobs that the recording does not have.
 */
export function jobRules(lifecycles: readonly Lifecycle[]): JobRules {
  const groups = new Map<string, [Lifecycle, ...Lifecycle[]]>()
  for (const lifecycle of lifecycles) {
    const key = JSON.stringify(lifecycle.rule)
    const group = groups.get(key)
    if (group) group.push(lifecycle)
    else groups.set(key, [lifecycle])
  }
  const sorted = [...groups.values()]
  const most = sorted.reduce((size, group) => Math.max(size, group.length), 0)
  const usual = sorted.findLast((group) => group.length === most)
  const all = lifecycles.map(({ job }) => job)
  const notes: string[] = []
  let room = MOST_VALUES
  const ruleOf = ([{ rule, job }]: readonly [Lifecycle, ...Lifecycle[]]): ScenarioPart => {
    const size = valuesIn(rule)
    if (size <= room) {
      room -= size
      return rule
    }
    notes.push(`${nameOf(job)}: its metrics are left out, because a scenario cannot be as long.`)
    return withoutMetrics(rule)
  }
  const rules = sorted.flatMap((group) => {
    if (group === usual) return []
    const rule = ruleOf(group)
    return matchesFor(
      group.map(({ job }) => job),
      all,
    ).map((match) => ({ match, ...rule }))
  })
  return {
    jobs: [...rules, ...(usual ? [ruleOf(usual)] : [])],
    notes,
    timeline: lifecycles.flatMap(({ job, onTheWay }) => {
      const only = lifecycles.length > 1 ? selected(job, ['model', 'ordinal']) : {}
      return onTheWay.map(({ step, wait }) => ({
        do: 'add_checkpoint',
        after: {
          event: step === 0 ? 'training_started' : 'gradient_step',
          ...only,
          ...(step > 0 && { step }),
        },
        ...(wait !== '0s' && { wait }),
      }))
    }),
  }
}

/** An estimate: a comma or a colon follows nearly every name and value. */
function valuesIn(rule: ScenarioPart): number {
  return JSON.stringify(rule).match(/[,:]/g)?.length ?? 0
}

function withoutMetrics({ timeline, ...rest }: ScenarioPart): ScenarioPart {
  const steps = listIn(timeline).map((step) => {
    const { metrics: _metrics, ...others } = fieldsOf(step)
    return others
  })
  return { ...rest, timeline: steps }
}

type Fact = 'kind' | 'model' | 'ordinal'

/** What may select jobs, the simplest first. */
const CHOICES: readonly (readonly Fact[])[] = [
  ['kind'],
  ['model'],
  ['ordinal'],
  ['kind', 'model'],
  ['kind', 'ordinal'],
  ['model', 'ordinal'],
]

function selected(job: SeenJob, facts: readonly Fact[]): Record<string, unknown> {
  const values = { kind: job.kind, model: job.model?.name, ordinal: job.ordinal }
  return Object.fromEntries(
    facts.flatMap((fact) => (values[fact] === undefined ? [] : [[fact, values[fact]]])),
  )
}

/** Returns the simplest conditions that select these jobs, and no others. */
function matchesFor(group: readonly SeenJob[], all: readonly SeenJob[]): ScenarioPart[] {
  for (const facts of CHOICES) {
    const matches = distinct(group.map((job) => selected(job, facts)))
    const merged = withModels(matches)
    const keys = new Set(matches.map((match) => JSON.stringify(match)))
    const chosen = all.filter((job) => keys.has(JSON.stringify(selected(job, facts))))
    if (chosen.length === group.length && merged.length === 1) return merged
  }
  return distinct(group.map((job) => selected(job, ['model', 'ordinal'])))
}

function distinct(matches: readonly ScenarioPart[]): ScenarioPart[] {
  return [...new Map(matches.map((match) => [JSON.stringify(match), match])).values()]
}

/** Merges conditions that differ only in the name of the model. */
function withModels(matches: readonly ScenarioPart[]): ScenarioPart[] {
  const [first] = matches
  if (!first || matches.length === 1) return [...matches]
  const rest = ({ model: _model, ...others }: ScenarioPart): string => JSON.stringify(others)
  const isMergeable =
    first['model'] !== undefined && matches.every((each) => rest(each) === rest(first))
  return isMergeable ? [{ ...first, model: matches.map(({ model }) => model) }] : [...matches]
}
