import { isObject } from '../../base/text/options.js'
import { checkPart, unusable } from './check-scenario.js'
import { missingSecrets } from './missing-secrets.js'
import { problem } from './part-problems.js'
import { secretValueProblems, webhookProblems } from './schema/check-webhooks.js'
import { vainInWebhooks } from './schema/vain-settings.js'
import { webhookParts } from './schema/webhooks.js'
import type { WebhookParts, WebhookPartsInput } from './scenario.js'
import { ScenarioError } from './scenario-error.js'

/**
 * Checks webhooks that are added to the webhooks of a scenario. One of a known name changes that: what it does not name
 * stays, and null is the default again.
 *
 * @throws {ScenarioError} When they are not valid.
 */
export function checkWebhooks(input: WebhookPartsInput, present: WebhookParts): WebhookParts {
  const part = 'the webhooks'
  const added = checkPart(webhookParts, completed(input, present), part)
  const notReplaced = <T extends { name: string }>(all: readonly T[], by: readonly T[]): T[] => {
    return all.filter(({ name }) => !by.some((each) => each.name === name))
  }
  // Names of secrets without a value are valid: the value was removed, or is not in the snapshot.
  const missing = Object.fromEntries(missingSecrets(present).map((name) => [name, '']))
  // The added ones come first, so that the paths in messages are paths in the input.
  const betweenParts = webhookProblems({
    secrets: { ...missing, ...present.secrets, ...added.secrets },
    webhooks: [...added.webhooks, ...notReplaced(present.webhooks, added.webhooks)],
    automations: [...added.automations, ...notReplaced(present.automations, added.automations)],
  })
  const problems = [
    ...secretValueProblems(added.secrets),
    ...vainInWebhooks(added.webhooks),
    ...betweenParts,
  ]
  if (problems.length === 0) return added
  throw new ScenarioError(
    unusable(part),
    problems.map(({ path, message }) => problem(path, false, message)),
  )
}

/** Completes webhooks with the settings that those of the same names have. The input is not checked yet. */
function completed(input: unknown, { webhooks }: WebhookParts): unknown {
  if (!isObject(input) || !Array.isArray(input['webhooks'])) return input
  const all = input['webhooks'].map((each: unknown) => {
    if (!isObject(each)) return each
    const named = Object.entries(each).filter(([, value]) => value !== undefined)
    const before = webhooks.find(({ name }) => name === each['name'])
    const settings = Object.entries<unknown>({ ...before, ...Object.fromEntries(named) })
    return Object.fromEntries(settings.filter(([, value]) => value !== null))
  })
  return { ...input, webhooks: all }
}
