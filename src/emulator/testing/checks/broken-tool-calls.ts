import { counted } from '../../../base/text/counted.js'
import { evidenceIn, trainingCheck } from '../training-check.js'

export const brokenToolCalls = trainingCheck({
  mistake: 'Tool calls without results, results without calls, or arguments that are not JSON.',
  legitimate: 'The last message may be a call: nobody asks the model again.',
  search: (job) =>
    evidenceIn(job, ({ broken }) => broken?.map(({ turn, why }) => ({ turn, what: why }))),
  judges: 'trajectory',
  say: (count) => `${counted(count, 'tool call')} did not fit the conversation`,
  advice: 'add a result with the id of each call, and drop calls that cannot be read',
})
