import type { AutomationRule, Scenario, WebhookParts } from '../../service/scenario/scenario.js'
import type { Warnings } from '../../service/engine/warnings.js'

/**
 * Warns of webhooks that get nothing, and of automations that cannot fire, whatever happens. Who creates an emulator may
 * still add what is missing.
 */
export function warnOfIdleWebhooks(
  warnings: Warnings,
  { webhooks, automations }: Pick<WebhookParts, 'webhooks' | 'automations'>,
  { keys }: Scenario['auth'],
): void {
  const called = new Set(automations.map(({ webhook }) => webhook))
  const idle = webhooks.flatMap(({ name }) => {
    return called.has(name)
      ? []
      : `the webhook ${name} gets nothing, because no automation names it yet`
  })
  const open = webhooks.filter(({ name, url }) => called.has(name) && url === undefined)
  const names = open.map(({ name }) => name).join(', ')
  const [the, have] = open.length === 1 ? ['webhook', 'has'] : ['webhooks', 'have']
  if (open.length > 0) {
    idle.push(
      `the ${the} ${names} ${have} no URL, so nothing is sent: set its url, or use --webhook, --sink, createSink() or the option webhooks`,
    )
  }
  const users = keys && Object.values(keys).map(({ user }) => user)
  const silent = automations.flatMap((rule) => {
    const why = whyNever(rule, users)
    return why === undefined ? [] : `the automation ${rule.name} cannot fire: ${why}`
  })
  const reasons = [...idle, ...silent]
  if (reasons.length > 0) warnings.give('idle-webhooks', { reasons })
}

/** Why no event fires a rule. `users` are those of the keys that are accepted; undefined if any key is. */
function whyNever(rule: AutomationRule, users: readonly string[] | undefined): string | undefined {
  if (!('run' in rule)) return undefined
  const { registry, collection } = rule.scope
  const ofArtifacts = Object.entries({ registry, collection }).find(([, globs]) => globs)
  if (ofArtifacts) return `runs are in no ${ofArtifacts[0]}, so leave out scope.${ofArtifacts[0]}`
  if (rule.event === 'RUN_STATE' && rule.states.every((state) => state === 'killed')) {
    return 'a run that is killed fires nothing'
  }
  const { user } = rule.run
  if (user === undefined || !users || users.includes(user)) return undefined
  return `no key belongs to the user ${user}; there are ${[...new Set(users)].join(', ')}`
}
