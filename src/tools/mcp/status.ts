import { counted } from '../../base/text/counted.js'
import { SDK_KEY } from '../../base/text/vendor/sdk-variables.js'
import { withDescription } from '../../base/text/with-description.js'
import { clientVariables } from '../../emulator/control/client-variables.js'
import type { Info } from '../../emulator/control/schemas/info.js'
import { LOCAL_API_KEY } from '../../emulator/local-key.js'
import { linesText, recordLines } from './paged.js'
import { READS, tool } from './tool.js'

/** The tool that an assistant calls first. */
export const statusTool = tool({
  name: 'get_status',
  description:
    'The addresses of the emulator, the environment variables of a client, the scenario, the clock and the seed. Call it first.',
  input: {},
  annotations: READS,
  async run(_args, { call }) {
    const [info, clock, { jobs }, current] = await Promise.all([
      call('GET /info'),
      call('GET /clock'),
      call('GET /jobs'),
      call('GET /scenario'),
    ])
    const { scenario, version, seed, isolate } = info
    const failed = jobs.filter(({ status }) => status === 'failed').length
    const over = jobs.filter(({ status }) => status === 'ended').length + failed
    const next = clock.next_at === null ? '' : `, the next at ${clock.next_at}`
    const isAnyKey = Object.keys(current.scenario.auth.keys ?? {}).length === 0
    const variables = Object.entries(shownVariables(info, isAnyKey))
    const status = recordLines({
      version,
      scenario: withDescription(scenario.name, scenario.description),
      seed,
      clock: `${clock.mode}, ${clock.now}, ${counted(clock.pending, 'scheduled task')}${next}`,
      jobs: `${jobs.length}, of which ${failed} failed and ${jobs.length - over} are not over`,
      isolate: isolate && 'Each API key has a world. This is the world of the header.',
    })
    return linesText([...status, ...variables.map(([name, value]) => `${name}=${value}`)])
  },
})

/**
 * Returns the variables that a client needs. A key that the emulator was started with is not shown: it may be
 * a real one.
 */
function shownVariables(info: Info, isAnyKey: boolean): Record<string, string> {
  const { training_url: trainingUrl, inference_url: inferenceUrl, control_token_needed } = info
  const apiKey = isAnyKey ? LOCAL_API_KEY : '(one of the keys that the emulator accepts)'
  const controlToken = control_token_needed ? START_TOKEN : undefined
  const served = { trainingUrl, inferenceUrl, apiKey, controlToken }
  return { ...clientVariables(served, {}), [SDK_KEY]: apiKey }
}

const START_TOKEN = '(the token that the emulator was started with)'
