import { toIso } from '../../../base/text/iso.js'
import { describeChange } from '../../../service/platform/describe-change.js'
import type { CheckDefinition } from '../check-definition.js'
import { requestsWith } from '../requests-with.js'

export const unfinishedRuns: CheckDefinition = {
  mistake: 'A run that was opened, and neither finished nor failed.',
  legitimate: 'A program that still logs when the checks run has an open run.',
  find({ engine }, requests) {
    const open = [...engine.clientPlatform.runs.all].filter(({ state }) => state === 'running')
    return open.map((run) => {
      const { path, heartbeatAt: at, user } = run
      const created = describeChange({ type: 'run_created', run, at, user })
      return {
        text: `the run ${path} never finished: it was last heard at ${toIso(at)}; call finish(), or use the run in a with statement`,
        requests: requestsWith(requests, created),
      }
    })
  },
}
