import { expect, it } from 'vitest'
import { summarize } from '../../../../src/service/engine/jobs/batch.js'
import {
  findNothingToTrain,
  isAboutRewards,
  nothingToTrainHint,
} from '../../../../src/service/engine/jobs/nothing-to-train.js'
import type { TrajectoryGroup } from '../../../../src/service/contract/trajectory.js'

const answer = { role: 'assistant' as const, content: 'Hi' }
const trajectory = (reward: number) => ({ reward, messages_and_choices: [answer] })
const empty = (reward: number) => ({ reward, messages_and_choices: [] })

it.each<[string, TrajectoryGroup[], boolean]>([
  ['no group', [], false],
  ['an empty group', [{ trajectories: [] }], false],
  ['groups of one', [{ trajectories: [empty(1)] }, { trajectories: [empty(0)] }], false],
  ['equal rewards', [{ trajectories: [empty(1), empty(1)] }], true],
  ['no log probabilities', [{ trajectories: [trajectory(1), trajectory(0)] }], false],
  [
    'log probabilities only where rewards are equal',
    [{ trajectories: [trajectory(1), trajectory(0)] }, { trajectories: [empty(1), empty(1)] }],
    true,
  ],
])(
  '%s is about rewards only if others of the same trajectories train',
  (_what, groups, expected) => {
    const whyOf = (batch: readonly TrajectoryGroup[]): string | undefined => {
      return findNothingToTrain(summarize(batch, { needsLogprobs: true }))
    }
    const others = groups.map(({ trajectories = [] }) => ({
      trajectories: trajectories.map((each, index) => ({ ...each, reward: index })),
    }))
    expect(whyOf(others) === undefined).toBe(expected)
    expect(isAboutRewards(whyOf(groups)!)).toBe(expected)
  },
)

it('rewards that differ where log probabilities are missing are not what to change', () => {
  const groups = [
    { trajectories: [trajectory(1), trajectory(0)] },
    { trajectories: [empty(1), empty(1)] },
  ]
  const why = findNothingToTrain(summarize(groups, { needsLogprobs: true }))!
  expect(nothingToTrainHint(why)).toContain('ask chats with logprobs: true')
})
