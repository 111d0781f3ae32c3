import { compactScenarioText } from '../../service/scenario/scenario-text.js'
import type { Chats } from './chats.js'
import type { Exploration, ExploreFailure } from './exploration.js'
import { BASELINE, failureOf } from './failures.js'
import type { Group } from './groups.js'

interface BaselineRun extends Pick<Exploration, 'scenarios'> {
  /** Completes "it fails". */
  readonly when: string
  /** Milliseconds. */
  readonly took: number
  readonly seed: number
  readonly chats: Chats
}

/** The failure of code that fails by itself. No scenario repeats it. */
export function baselineFailure(group: Group, run: BaselineRun): ExploreFailure {
  const { title, reason, verdict } = group.mistake
  const seconds = (run.took / 1000).toFixed(1)
  const limit = `. It was stopped after ${seconds} s, the longest time of this run`
  return {
    ...failureOf(group, { scenario: BASELINE, seed: run.seed }),
    title: `${run.when}: ${title}`,
    reason: `${verdict === 'hung' ? reason + limit : reason}${inForce(run)}`,
    yaml: compactScenarioText(BASELINE),
    shrinking: { trials: 0, finished: true },
  }
}

/** Which scenarios of the user were in force. */
function inForce({ scenarios = [], chats }: BaselineRun): string {
  if (scenarios.length === 0) return ''
  const names = scenarios.map(({ scenario: { name } }) => `"${name}"`).join(', ')
  return Object.keys(chats).length > 0
    ? `. In force was what ${names} says about answers of chats, and nothing else of it`
    : `. Nothing of ${names} was in force: it says nothing about answers of chats`
}
