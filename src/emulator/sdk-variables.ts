import { SDK_BASE_URL, SDK_KEY, SDK_SETTINGS } from '../base/text/vendor/sdk-variables.js'
import type { Emulator } from './emulator.js'
import { LOCAL_API_KEY } from './local-key.js'

/** The SDK refuses a key with fewer characters before it calls anybody. */
const SHORTEST_SECRET = 40

/**
 * Returns the variables that lead the SDK of runs and artifacts to an emulator. A key in the environment stays, unless
 * the SDK refuses it. So do settings.
 */
export function sdkVariables(
  { trainingUrl, apiKey }: Pick<Emulator, 'trainingUrl' | 'apiKey'>,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const { [SDK_KEY]: key = '' } = environment
  const settings = Object.entries(SDK_SETTINGS).filter(([name]) => environment[name] === undefined)
  return {
    ...Object.fromEntries(settings),
    // Runs and artifacts are beside the training API.
    [SDK_BASE_URL]: trainingUrl.replace(/\/v1$/, ''),
    ...(!isSdkKey(key) && { [SDK_KEY]: isSdkKey(apiKey) ? apiKey : LOCAL_API_KEY }),
  }
}

/** Whether the SDK accepts a key. What is before its first dash does not count. */
export function isSdkKey(key: string): boolean {
  return key.slice(key.indexOf('-') + 1).length >= SHORTEST_SECRET
}
