import { counted } from '../../../base/text/counted.js'
import { trajectoriesOf, type TrainedJob } from '../../../service/engine/lineage/trained-job.js'
import { trainingCheck, type Evidence } from '../training-check.js'

export const brokenToolCalls = trainingCheck({
  mistake: 'Tool calls without results, results without calls, or arguments that are not JSON.',
  legitimate: 'The last message may be a call: nobody asks the model again.',
  search: brokenCalls,
  say: (count) => `${counted(count, 'tool call')} did not fit the conversation`,
  advice: 'add a result with the id of each call, and drop calls that cannot be read',
})

function* brokenCalls(job: TrainedJob): Generator<Evidence> {
  for (const { place, trajectory } of trajectoriesOf(job)) {
    for (const { turn, why } of trajectory.broken ?? []) yield { place, turn, what: why }
  }
}
