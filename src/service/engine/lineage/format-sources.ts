import { counted, countsOf } from '../../../base/text/counted.js'
import { answersOf, stepsBehind, type TrainedAnswer, type TrainedJob } from './trained-job.js'

/** Says from which checkpoints the answers of a job are. Undefined without answers. */
export function formatSources(job: TrainedJob): string | undefined {
  const all = answersOf(job)
  // Most messages that no chat gave are data from elsewhere.
  if (all.every(({ isPlain, sample }) => isPlain === true && sample === undefined)) return undefined
  const counts = countsOf(all.map((answer) => sourceOf(answer, job)))
  const answers = counted(all.length, 'answer')
  if (counts.size === 1) return `${answers} ${[...counts.keys()].join()}`
  return `${answers}: ${[...counts].map(([from, count]) => `${count} ${from}`).join(', ')}`
}

/** Says where an answer is from: `of step 2 (1 behind)`. */
function sourceOf(answer: TrainedAnswer, job: TrainedJob): string {
  if (answer.sample === undefined) return 'unknown'
  if (answer.step === null || answer.step === undefined) return `of ${answer.model}`
  const lag = stepsBehind(answer, job)
  if (lag === undefined) return 'of another model'
  // The checkpoint may be gone, so that the newest one is older.
  return `of step ${answer.step}${lag > 0 ? ` (${lag} behind)` : ''}`
}
