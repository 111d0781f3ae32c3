import { counted } from '../../base/text/counted.js'
import { SDK_KEY } from '../../base/text/vendor/sdk-variables.js'
import { withDescription } from '../../base/text/with-description.js'
import type { Info } from '../../emulator/control/schemas/info.js'
import { LOCAL_API_KEY } from '../../emulator/local-key.js'
import { sdkVariables } from '../../emulator/sdk-variables.js'
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
    const variables = Object.entries(clientVariables(info, isAnyKey))
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
function clientVariables(info: Info, isAnyKey: boolean): Record<string, string> {
  const { training_url: training, inference_url: inference } = info
  const key = isAnyKey ? LOCAL_API_KEY : '(one of the keys that the emulator accepts)'
  return {
    SVTRAIN_BASE_URL: training,
    SVTRAIN_INFERENCE_URL: inference,
    SVTRAIN_CONTROL_URL: `${new URL(training).origin}/_emulator`,
    SVTRAIN_API_KEY: key,
    ...sdkVariables({ trainingUrl: training, apiKey: LOCAL_API_KEY }, {}),
    [SDK_KEY]: key,
    ...(info.control_token_needed && {
      SVTRAIN_CONTROL_TOKEN: '(the token that the emulator was started with)',
    }),
  }
}
