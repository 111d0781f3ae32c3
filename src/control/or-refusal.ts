import { ApiError } from '../contract/errors.js'
import { ScenarioError } from '../scenario/scenario-error.js'

/** The result. A `ScenarioError` becomes a 400: its message tells the client what is wrong. */
export function orRefusal<T>(read: () => T): T | ApiError {
  try {
    return read()
  } catch (error) {
    if (error instanceof ScenarioError) return new ApiError(400, error.message)
    throw error
  }
}
