import type { ControlDelivery, SinkRecord, TestOutcome } from '../schemas.js'
import type { AutomationRule, WebhookPartsInput, WebhookRule } from '../../scenario/scenario.js'
import type { TriggerFacts } from '../../webhooks/trigger.js'
import { queryOf, type Ask } from './ask.js'

type WebhookInput = NonNullable<WebhookPartsInput['webhooks']>[number]
type AutomationInput = NonNullable<WebhookPartsInput['automations']>[number]

/** A webhook as it is now. */
export type ControlWebhook = Omit<WebhookRule, 'url'> & {
  url: string | null
  /** Why nothing is sent to it any more. */
  disabled: string | null
}

export interface DeliveriesWhere {
  webhook?: string
  automation?: string
  event?: string
  state?: ControlDelivery['state']
  /** The id of the job that led to it. */
  job?: string
  /** The latest so many. Default: 1,000. */
  limit?: number
}

/** What is told of an event; with `to` it goes straight to that webhook. */
export type Facts = TriggerFacts & {
  to?: string
  /** Begins with what there is to say of this job. */
  job_id?: string
}

export interface WebhookCalls {
  readonly secrets: {
    /** Their names; nothing tells their values. */
    list: () => Promise<string[]>
    /** Adds one, or rotates it. */
    set: (name: string, value: string) => Promise<void>
    remove: (name: string) => Promise<void>
  }
  readonly webhooks: {
    list: () => Promise<ControlWebhook[]>
    /** Adds one, as a scenario would have it; one of that name makes room for it. */
    add: (webhook: WebhookInput) => Promise<void>
    /** With its automations. */
    remove: (name: string) => Promise<void>
    /** Sends a test, and gives the answer; neither is kept. */
    test: (name: string, payload?: string | Record<string, unknown>) => Promise<TestOutcome>
    /** Sends to a webhook again that has answered 410. */
    enable: (name: string) => Promise<void>
  }
  readonly automations: {
    list: () => Promise<AutomationRule[]>
    add: (automation: AutomationInput) => Promise<void>
    remove: (name: string) => Promise<void>
  }
  /** Makes an event happen; gives the ids of the deliveries that it made. */
  trigger: (event: string, facts?: Facts) => Promise<string[]>
  readonly deliveries: {
    /** Oldest first. */
    list: (where?: DeliveriesWhere) => Promise<ControlDelivery[]>
    get: (id: string) => Promise<ControlDelivery>
    /** Sends it once more: the same id, the same bytes. */
    resend: (id: string) => Promise<ControlDelivery>
  }
  readonly sink: {
    /** What the sink received that runs beside the emulator; refused with 404 where none does. */
    records: () => Promise<SinkRecord[]>
  }
}

export function webhookCalls(ask: Ask): WebhookCalls {
  const named = (kind: string, name: string): string => `/${kind}/${encodeURIComponent(name)}`
  const list = async <T>(kind: string, query = ''): Promise<T[]> => {
    return (await ask<Record<string, T[]>>('GET', `/${kind}${query}`))[kind]!
  }
  const change = async (...call: Parameters<Ask>): Promise<void> => void (await ask(...call))
  return {
    secrets: {
      list: () => list('secrets'),
      set: (name, value) => change('POST', '/secrets', { name, value }),
      remove: (name) => change('DELETE', named('secrets', name)),
    },
    webhooks: {
      list: () => list('webhooks'),
      add: (webhook) => change('POST', '/webhooks', webhook),
      remove: (name) => change('DELETE', named('webhooks', name)),
      test: (name, payload) => ask('POST', `${named('webhooks', name)}/test`, { payload }),
      enable: (name) => change('POST', `${named('webhooks', name)}/enable`),
    },
    automations: {
      list: () => list('automations'),
      add: (automation) => change('POST', '/automations', automation),
      remove: (name) => change('DELETE', named('automations', name)),
    },
    async trigger(event, facts = {}) {
      const made = await ask<{ deliveries: string[] }>('POST', '/trigger', { ...facts, event })
      return made.deliveries
    },
    deliveries: {
      list: (where = {}) => list('deliveries', queryOf(where)),
      get: (id) => ask('GET', named('deliveries', id)),
      resend: (id) => ask('POST', `${named('deliveries', id)}/resend`),
    },
    sink: {
      records: async () => (await ask<{ records: SinkRecord[] }>('GET', '/sink/records')).records,
    },
  }
}
