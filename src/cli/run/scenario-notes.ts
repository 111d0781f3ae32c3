import type { Scenario } from '../../service/scenario/scenario.js'

/** What is valid in a scenario, and may not be what its author meant, as sentences. */
export function scenarioNotes({ webhooks, automations }: Scenario): string[] {
  const active = automations.filter(({ enabled }) => enabled !== false)
  const idle = webhooks.filter(({ name }) => !active.some(({ webhook }) => webhook === name))
  const bare = active.filter(({ payload }) => {
    return typeof payload === 'object' && Object.keys(payload).length === 0
  })
  return [
    ...idle.map(
      ({ name }) => `No automation calls the webhook "${name}", so no event is sent to it.`,
    ),
    ...bare.map(({ name }) => `The automation "${name}" has no payload, so its receiver gets {}.`),
  ]
}
