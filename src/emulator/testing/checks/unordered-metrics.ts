import { counted } from '../../../base/text/counted.js'
import { DROPPED_STEP, OUTPUT_FILE } from '../../../base/text/vendor/platform-names.js'
import type { Blobs } from '../../../service/platform/blobs.js'
import type { Run } from '../../../service/platform/run.js'
import type { CheckDefinition } from '../check-definition.js'
import { requestsThat } from '../requests-that.js'

export const unorderedMetrics: CheckDefinition = {
  mistake:
    'Metrics of a step below one that the run had logged before, or of training with such a training_step.',
  legitimate: 'Never: a metric of your own as the axis allows any order.',
  find({ engine }, requests) {
    const { runs, blobs } = engine.clientPlatform
    return [...runs.all].flatMap((run) => {
      const logged = { type: 'metrics_logged', of: run.path } as const
      const mixed = run.history.backward
      const [first] = mixed
      if (first) {
        const more = mixed.length === 1 ? '' : `, and ${counted(mixed.length - 1, 'more row')}`
        const text = `the run ${run.path} logged step ${first.step} after step ${first.after}${more}: its program began again at a lower step, or two programs write to it; resume the run, or give each program a run of its own`
        return [{ text, requests: requestsThat(requests, logged) }]
      }
      const [named] = run.history.backwardTraining
      if (named) {
        const { step, after } = named
        const odd = step < 0 ? 'is below 0' : `came after ${after}`
        const text = `the run ${run.path} logged training metrics with the training_step ${step}, which ${odd}; log each step of the training with its own number, such as the step of its result`
        return [{ text, requests: requestsThat(requests, logged) }]
      }
      const dropped = droppedIn(run, blobs)
      if (!dropped) return []
      const { step, after } = dropped
      const text = `the run ${run.path} lost what its program logged at step ${step}, because step ${after} came before; log steps in order, or use a metric of your own as the axis`
      return [{ text, requests: [] }]
    })
  },
}

/** The first bytes of an output that are searched. */
const SEARCHED = 1024 * 1024

/** What the SDK dropped. It says so in the output of the program. */
function droppedIn(run: Run, blobs: Blobs): { step: string; after: string } | undefined {
  const file = run.files.get(OUTPUT_FILE)?.read(blobs)
  const texts = [run.output.lines.join('\n'), new TextDecoder().decode(file?.subarray(0, SEARCHED))]
  for (const text of texts) {
    const [, step, after] = DROPPED_STEP.exec(text) ?? []
    if (step !== undefined && after !== undefined) return { step, after }
  }
  return undefined
}
