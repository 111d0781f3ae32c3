import { toIso } from '../../../base/text/iso.js'
import type { CheckDefinition } from '../check-definition.js'
import { requestsThat } from '../requests-that.js'

export const unfinishedRuns: CheckDefinition = {
  mistake: 'A run that was opened, and neither finished nor failed.',
  legitimate: 'A program that still logs when the checks run has an open run.',
  find({ engine }, requests) {
    const open = [...engine.clientPlatform.runs.all].filter(({ state }) => state === 'running')
    return open.map((run) => ({
      text: `the run ${run.path} never finished: it was last heard at ${toIso(run.heartbeatAt)}; call finish(), or use the run in a with statement`,
      requests: requestsThat(requests, { type: 'run_created', of: run.path }),
    }))
  },
}
