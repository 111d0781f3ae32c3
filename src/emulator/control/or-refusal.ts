import { ApiError } from '../../service/contract/errors.js'
import { ScenarioError } from '../../service/scenario/scenario-error.js'

/** Returns the result of `read`. A `ScenarioError` becomes a 400 with its message. */
export function orRefusal<T>(read: () => T): T | ApiError {
  try {
    return read()
  } catch (error) {
    if (error instanceof ScenarioError) return new ApiError(400, error.message)
    throw error
  }
}
