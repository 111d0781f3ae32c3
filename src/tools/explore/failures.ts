import { DEFAULT_SCENARIO } from '../../service/scenario/built-in-scenarios.js'
import { checkKey } from '../../service/scenario/check-names.js'
import { findProblems } from '../../service/scenario/check-scenario.js'
import { compactScenarioText } from '../../service/scenario/scenario-text.js'
import type { ScenarioInput } from '../../service/scenario/scenario.js'
import type { Allowance } from './allowance.js'
import { withChats, type Chats } from './chats.js'
import { describeScenario } from './describe-scenario.js'
import type { Exploration, ExploreFailure } from './exploration.js'
import type { Group } from './groups.js'
import type { Mistake } from './judge.js'
import { TELLING } from './observe.js'
import type { PlannedTrial } from './part.js'
import { plain, withoutNotes } from './plain-scenario.js'
import { shrink } from './shrink.js'

/** The time from here on is to repeat failures as users will, and to end. */
export const SHARE_OF_SHRINKING = 0.9

/** The scenario of code that fails by itself, or that is killed. */
export const BASELINE: ScenarioInput = { name: DEFAULT_SCENARIO, extends: DEFAULT_SCENARIO }

/** What shrinking needs of an exploration. */
interface Shrinking extends Pick<Exploration, 'onShrink'> {
  readonly allowance: Allowance
  readonly chats: Chats
  readonly seed: number
  readonly parallel: number
  /** Whether a run can end in time. */
  readonly canStart: (run: { readonly isKilled: boolean }) => boolean
  readonly isStopped: () => boolean
  /** Runs a trial, and returns its mistakes. None if the exploration was stopped. */
  readonly mistakesIn: (planned: PlannedTrial) => Promise<readonly Mistake[]>
}

/** Shrinks each group. Each gets its share of the time that is left; quick ones come first. */
export async function shrinkAll(
  groups: readonly Group[],
  shrinking: Shrinking,
): Promise<ExploreFailure[]> {
  const order = groups.toSorted((one, other) => turnOf(one) - turnOf(other))
  const failures: ExploreFailure[] = []
  for (const [index, group] of order.entries()) {
    const { time, elapsed } = shrinking.allowance
    const left = time * SHARE_OF_SHRINKING - elapsed
    const until = elapsed + left / (order.length - index)
    failures.push(await shrinkGroup(group, until, shrinking))
  }
  return failures.sort((one, other) => one.number - other.number)
}

async function shrinkGroup(
  group: Group,
  until: number,
  { allowance, chats, seed, parallel, onShrink, canStart, isStopped, mistakesIn }: Shrinking,
): Promise<ExploreFailure> {
  const { planned, mistake } = group
  const start = plain(planned.scenario)
  const isKilled = planned.kill !== undefined
  let trials = 0
  const isOver = (): boolean => allowance.elapsed >= until || !canStart({ isKilled })
  const fails = async (scenario: ScenarioInput): Promise<boolean> => {
    trials++
    const found = await mistakesIn({ ...planned, kind: 'shrink', scenario })
    return found.some(({ signature }) => signature === mistake.signature)
  }
  const { scenario, finished } = await shrink(start, {
    keyOf: (candidate) => {
      const key = keyOf(candidate)
      if (key === undefined) return undefined
      return planned.part.mayBecome(candidate, { ...planned, scenario: start }) ? key : undefined
    },
    fails,
    parallel,
    isOver,
    onSmaller: (smaller) => {
      const lines = named(smaller, chats).yaml.trimEnd().split('\n').length
      const { number: failure } = group
      onShrink?.({ failure, title: mistake.title, trials, lines })
    },
  })
  const isConfirmed = isOver() || (await fails(scenario)) || isStopped()
  const found = isConfirmed ? scenario : start
  const shown = planned.kill
    ? { scenario: BASELINE, yaml: compactScenarioText(BASELINE) }
    : named({ ...found, ...asError(mistake, found) }, chats)
  return {
    ...failureOf(group, { scenario: shown.scenario, seed }),
    ...(!isConfirmed && { flaky: true }),
    yaml: shown.yaml,
    shrinking: { trials, finished: finished && isConfirmed },
  }
}

/** Names a scenario after what it does. */
function named(scenario: ScenarioInput, chats: Chats): { scenario: ScenarioInput; yaml: string } {
  const { name: _, ...parts } = scenario
  const { name, description } = describeScenario(parts)
  const { name: _name, ...all } = withChats({ name, ...parts }, chats)
  const described = { name, description, ...all } satisfies ScenarioInput as ScenarioInput
  return { scenario: described, yaml: compactScenarioText(described) }
}

/** What is said of a group whatever shrinking finds. */
export function failureOf(
  { number, mistake, runs, planned: { kill } }: Group,
  { scenario, seed }: Pick<ExploreFailure, 'scenario' | 'seed'>,
): Omit<ExploreFailure, 'yaml' | 'shrinking'> {
  const { signature, verdict, title, reason, needsBaseline } = mistake
  return {
    number,
    verdict,
    title,
    reason,
    runs,
    seed,
    scenario,
    signature,
    ...(kill && { kill }),
    ...(needsBaseline === true && { needsBaseline }),
  }
}

/** Trials that hang take longest. */
function turnOf({ mistake, number }: Group): number {
  return number + (mistake.verdict === 'hung' ? 1e6 : 0)
}

/** A check that only warns is an error in the scenario that shows what it found: whoever repeats it sees the failure. */
function asError({ check: found }: Mistake, { checks }: ScenarioInput): Partial<ScenarioInput> {
  const check = TELLING.find((each) => each === found)
  return check === undefined ? {} : { checks: { ...checks, [checkKey(check)]: 'fail' } }
}

/** A text that is the same for scenarios with the same effect. Undefined for one that cannot be used. */
function keyOf(scenario: ScenarioInput): string | undefined {
  const checked = findProblems(scenario)
  return checked.ok ? JSON.stringify(withoutNotes(checked.scenario)) : undefined
}
