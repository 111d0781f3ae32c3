import type {
  AutomationRule,
  EventType,
  WebhookPartsInput,
} from '../../../service/scenario/scenario.js'
import type { TriggerFacts } from '../../../webhooks/sending/trigger.js'
import type { ControlWebhook, Explained, TestOutcome } from '../schemas/webhooks.js'
import { joined, type BodyOf, type Call } from './call.js'

type WrittenWebhook = NonNullable<WebhookPartsInput['webhooks']>[number]

/** A webhook, written as in a scenario, or what changes of one. Null is the default. See `docs/reference/scenario.md` for its keys. */
type WebhookInput = {
  [Key in keyof WrittenWebhook]: WrittenWebhook[Key] | (Key extends 'name' ? never : null)
}

/** The facts of an event that `trigger` triggers. Each has a default. */
export interface Facts extends TriggerFacts {
  /** Sends the event only to the webhook with this name. Default: every automation that matches it. */
  to?: string | undefined
  /** Takes the facts of this job. Default: no job. */
  job_id?: string | undefined
}

/** An automation, written as in a scenario. See `docs/reference/scenario.md` for its keys. */
type AutomationInput = NonNullable<WebhookPartsInput['automations']>[number]

/** The methods of a client for webhooks, their secrets and automations, and events. */
export const webhooksMethods = (call: Call) => ({
  secrets: {
    /** Returns the names of the secrets. No method returns their values. */
    list: async (): Promise<string[]> => (await call('GET /secrets')).secrets,
    /** Adds or rotates a secret. */
    async set(name: string, value: string): Promise<void> {
      await call('POST /secrets', { body: { name, value } })
    },
    /** Removes a secret. Webhooks that sign with it send unsigned deliveries from now on. */
    async remove(name: string): Promise<void> {
      await call('DELETE /secrets/{name}', { params: { name } })
    },
  },
  webhooks: {
    /** Returns the webhooks, and why any of them is disabled. */
    list: async (): Promise<ControlWebhook[]> => (await call('GET /webhooks')).webhooks,
    /**
     * Adds a webhook, written as in a scenario. One of the same name keeps what is not named; null is the default.
     *
     * @example
     * await client.webhooks.add({ name: 'mine', url: 'http://127.0.0.1:3000/hook' })
     */
    async add(webhook: WebhookInput): Promise<void> {
      await call('POST /webhooks', { body: webhook })
    },
    /** Removes a webhook and its automations. */
    async remove(name: string): Promise<void> {
      await call('DELETE /webhooks/{name}', { params: { name } })
    },
    /** Sends a test delivery and returns the answer. Records neither. */
    test: (name: string, payload?: string | Record<string, unknown>): Promise<TestOutcome> =>
      call('POST /webhooks/{name}/test', { params: { name }, body: { payload } }),
    /**
     * Verifies the headers and the raw body of a delivery with the secret of a webhook.
     *
     * @returns The verdict, and what is wrong.
     * @example
     * const headers = { 'X-Service-Signature': 'sha256=0123' }
     * const { diagnosis } = await client.webhooks.explain('deploy', { headers, body: '{}' })
     */
    explain: (
      name: string,
      delivered: BodyOf<'POST /webhooks/{name}/explain'>,
    ): Promise<Explained> =>
      call('POST /webhooks/{name}/explain', { params: { name }, body: delivered }),
    /** Enables a webhook again that answered 410. */
    async enable(name: string): Promise<void> {
      await call('POST /webhooks/{name}/enable', { params: { name } })
    },
  },
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
    (await call('POST /trigger', { body: joined('trigger', facts, { event }) })).deliveries,
})
