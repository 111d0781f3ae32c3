import { CONTROL_ROOT } from './control-path.js'
import type { Emulator } from '../emulator.js'
import { sdkVariables } from '../sdk-variables.js'

/**
 * Returns the variables that clients of an emulator read.
 *
 * @param environment The variables that they inherit.
 * @param apiKey The key that they use. Default: that of the emulator.
 */
export function clientVariables(
  served: Pick<Emulator, 'trainingUrl' | 'inferenceUrl' | 'apiKey' | 'controlToken'>,
  environment: Readonly<Record<string, string | undefined>>,
  apiKey = served.apiKey,
): Record<string, string> {
  const { trainingUrl, inferenceUrl, controlToken } = served
  return {
    SVTRAIN_BASE_URL: trainingUrl,
    SVTRAIN_INFERENCE_URL: inferenceUrl,
    SVTRAIN_CONTROL_URL: new URL(CONTROL_ROOT, trainingUrl).href,
    SVTRAIN_API_KEY: apiKey,
    ...sdkVariables({ trainingUrl, apiKey }, environment),
    ...(controlToken !== undefined && { SVTRAIN_CONTROL_TOKEN: controlToken }),
  }
}
