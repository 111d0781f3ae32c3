import type { WebhookPartsInput } from '../../../service/scenario/scenario.js'
import type { ControlWebhook, Explained, TestOutcome } from '../schemas.js'
import type { BodyOf, Call } from './call.js'

/** A webhook, written as in a scenario. See `docs/reference/scenario.md` for its keys. */
type WebhookInput = NonNullable<WebhookPartsInput['webhooks']>[number]

/** The methods of a client for webhooks and their secrets. */
export function webhooksMethods(call: Call) {
  return {
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
       * Adds a webhook, written as in a scenario. Replaces one of the same name.
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
  }
}
