import { counted } from '../../../base/text/counted.js'
import { trainingCheck, trajectoriesWhere } from '../training-check.js'

export const failedCallsScored = trainingCheck({
  mistake: 'A reward for a trajectory whose chat, or whose call of a judge, failed for good.',
  legitimate: 'Never: an outage says nothing about the answer.',
  search: (job) =>
    trajectoriesWhere(job, ({ failed, reward }) => {
      if (!failed) return undefined
      const call = failed.what === 'judge' ? 'the call of the judge' : 'a chat'
      return `${call} got ${failed.got}, the reward is ${reward}`
    }),
  judges: 'trajectory',
  say: (count) =>
    `${counted(count, 'trajectory', 'trajectories')} got a reward although a call failed`,
  advice: 'repeat the call, or leave the trajectory out',
})
