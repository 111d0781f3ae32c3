import type {
  AutomationRule,
  EventType,
  WebhookPartsInput,
} from '../../../service/scenario/scenario.js'
import type { TriggerFacts } from '../../../webhooks/sending/trigger.js'
import type { Call } from './call.js'

/** The facts of an event that `trigger` triggers. Each has a default. */
export interface Facts extends TriggerFacts {
  /** Sends the event only to the webhook with this name. Default: every automation that matches it. */
  to?: string | undefined
  /** Takes the facts of this job. Default: no job. */
  job_id?: string | undefined
}

/** An automation, written as in a scenario. See `docs/reference/scenario.md` for its keys. */
type AutomationInput = NonNullable<WebhookPartsInput['automations']>[number]

/** The methods of a client for automations and events. */
export function automationsMethods(call: Call) {
  return {
    automations: {
      /** Returns the automations: which event calls which webhook. */
      list: async (): Promise<AutomationRule[]> => (await call('GET /automations')).automations,
      /** Adds an automation, written as in a scenario. Replaces one of the same name. */
      async add(automation: AutomationInput): Promise<void> {
        await call('POST /automations', { body: automation })
      },
      /** Removes an automation. Refused with 404 if no automation has that name. */
      async remove(name: string): Promise<void> {
        await call('DELETE /automations/{name}', { params: { name } })
      },
    },
    /**
     * Triggers an event. Returns the ids of the deliveries that it caused.
     *
     * @example
     * const [id] = await client.trigger('RUN_STATE', { state: 'failed' })
     */
    trigger: async (event: EventType | (string & {}), facts: Facts = {}): Promise<string[]> =>
      (await call('POST /trigger', { body: { ...facts, event } })).deliveries,
  }
}
