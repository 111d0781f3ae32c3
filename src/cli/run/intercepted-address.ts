import { readRoute } from '../../tools/intercept/routes.js'
import { UsageError } from '../usage-error.js'
import type { Value } from '../values.js'

/** An API and its address, as `--intercept` takes them. */
export const interceptedAddress: Value<string> = {
  takes: 'an API and its address, such as training=https://api.example.com/v1',
  read(text) {
    try {
      readRoute(text)
      return text
    } catch (error) {
      throw new UsageError(`--intercept: ${(error as Error).message}`)
    }
  },
}
