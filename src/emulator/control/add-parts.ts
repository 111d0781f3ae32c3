import { ApiError } from '../../service/contract/errors.js'
import type { Emulator } from '../emulator.js'
import { orRefusal } from './or-refusal.js'

/** Adds webhooks, automations or secrets. Returns a 400 if they cannot be used. */
export async function addParts(
  { webhooks, checks }: Emulator,
  input: object,
): Promise<ApiError | undefined> {
  await checks.load()
  const refused = orRefusal(() => webhooks.add(input))
  return refused ? new ApiError(400, webhooks.withoutSecrets(refused.message)) : undefined
}
