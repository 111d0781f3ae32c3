import { routesOf } from '../../emulator/intercept/read-route.js'
import { UsageError } from '../usage-error.js'
import type { Value } from '../values.js'

/** An API and its address, or `documented`, as `--intercept` takes them. */
export const interceptedAddress: Value<string> = {
  takes:
    'an API and its address, such as training=https://api.example.com/v1, or documented for all of the documented service',
  read(text) {
    try {
      routesOf([text])
      return text
    } catch (error) {
      throw new UsageError(`--intercept: ${(error as Error).message}`)
    }
  },
}
