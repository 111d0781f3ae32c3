import { ApiError } from '../../service/contract/errors.js'
import { ScenarioError } from '../../service/scenario/scenario-error.js'
import type { Emulator } from '../emulator.js'

/** Adds webhooks, automations or secrets. Returns a 400 if they cannot be used. */
export async function addParts(
  { webhooks, checks }: Emulator,
  input: object,
): Promise<ApiError | undefined> {
  await checks.load()
  try {
    webhooks.add(input)
  } catch (error) {
    if (error instanceof ScenarioError)
      return new ApiError(400, webhooks.withoutSecrets(error.message))
    throw error
  }
  return undefined
}
