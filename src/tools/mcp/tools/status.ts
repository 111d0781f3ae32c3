import { linesText } from '../paged.js'
import { LOCAL_API_KEY } from '../../../emulator/emulator.js'
import { sdkVariables } from '../../../emulator/sdk-variables.js'
import { SDK_KEY } from '../../../base/text/vendor/sdk-variables.js'
import { counted } from '../../../base/text/counted.js'
import type { Call } from '../../../emulator/control/client/call.js'
import { READS, tool } from '../tool.js'

const getStatus = tool({
  name: 'get_status',
  title: 'Get status',
  description:
    'Returns the addresses of the emulator, the environment variables that a client needs, the scenario, the clock and the seed. Call it first.',
  input: {},
  annotations: READS,
  async run(_args, { call }) {
    const [info, clock, { jobs }, variables] = await Promise.all([
      call('GET /info'),
      call('GET /clock'),
      call('GET /jobs'),
      clientVariables(call),
    ])
    const { scenario, version, seed, isolate } = info
    const failed = jobs.filter(({ status }) => status === 'failed').length
    const running = jobs.filter(({ status }) => status === 'running' || status === 'queued').length
    const { mode, now, pending, next_at: next } = clock
    return linesText([
      `svtrain-emulator ${version}`,
      `Scenario: ${scenario.name}: ${scenario.description}`,
      `Seed: ${seed}`,
      `Clock: ${mode}, ${now}. ${counted(pending, 'scheduled task')}${next === null ? '' : `, the next one at ${next}`}.`,
      `Jobs: ${jobs.length}. Not over: ${running}. Failed: ${failed}.`,
      ...(isolate ? ['Each API key has a world of its own. This is the world of the header.'] : []),
      'Environment of a client:',
      ...Object.entries(variables).map(([name, value]) => `  ${name}=${value}`),
    ])
  },
})

/**
 * Returns the variables that a client needs. A key that the emulator was started with is not shown: it may be
 * a real one.
 */
async function clientVariables(call: Call): Promise<Record<string, string>> {
  const [info, { scenario }] = await Promise.all([call('GET /info'), call('GET /scenario')])
  const { training_url: training, inference_url: inference } = info
  const isAnyKey = Object.keys(scenario.auth.keys ?? {}).length === 0
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

export const statusTools = [getStatus]
