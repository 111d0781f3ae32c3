import { optional } from '../../../service/contract/pydantic/fields.js'
import { literal } from '../../../service/contract/pydantic/literal.js'
import { string } from '../../../service/contract/pydantic/string.js'
import {
  deliveryFilter,
  explainRequest,
  type ControlDelivery,
} from '../../../emulator/control/schemas.js'
import { countedSends } from '../../../base/text/sends.js'
import { Redactor } from '../../../base/text/redaction/redact.js'
import { cut, linesText, paged } from '../paged.js'
import { pageField, READS, tool, ToolError, withWords } from '../tool.js'
import { findJob } from './jobs.js'

const MOST_DELIVERIES = 500

const listDeliveries = tool({
  name: 'list_deliveries',
  title: 'List deliveries',
  description:
    'Lists the webhook deliveries, newest first, each with its attempts. With the id of one, says what was sent and answered, and what is wrong with its signature.',
  input: {
    delivery: optional(string, { description: 'The id of one delivery, for its details.' }),
    state: deliveryFilter.fields.state,
    event: withWords(deliveryFilter.fields.event, 'The name of an event, such as RUN_STATE.'),
    job: deliveryFilter.fields.job,
    page: pageField,
  },
  annotations: READS,
  async run({ delivery, state, event, job: which, page }, { call }) {
    if (delivery !== undefined) {
      const params = { delivery_id: delivery }
      return deliveryText(await call('GET /deliveries/{delivery_id}', { params }))
    }
    const job = which === undefined ? undefined : (await findJob(call, which)).id
    const query = { state, event, job, limit: MOST_DELIVERIES }
    const { deliveries } = await call('GET /deliveries', { query })
    const none = 'There are no such deliveries. read_docs "webhooks" explains how to get them.'
    return paged(deliveries.toReversed().map(deliveryLine), { page, none })
  },
})

function deliveryLine({
  id,
  created_at,
  event,
  webhook,
  state,
  attempts,
  verdict,
}: ControlDelivery) {
  const last = attempts.at(-1)
  const answer = last ? `, last answer ${last.status ?? last.error ?? 'none'}` : ''
  const signature = verdict === null ? '' : `, signature ${verdict}`
  return `${id} ${created_at} ${event} to "${webhook}": ${state}, ${countedSends(attempts)}${cut(answer, 200)}${signature}`
}

function deliveryText(delivery: ControlDelivery): string {
  const { attempts, headers, body, diagnosis, job_id: job } = delivery
  const sent = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return linesText([
    deliveryLine(delivery),
    ...(job === null ? [] : [`Job: ${job}`]),
    ...(diagnosis === null ? [] : [`Signature: ${cut(diagnosis, 600)}`]),
    ...attempts.slice(-8).map(({ attempt, copy, at, status, error, response_excerpt: text }) => {
      const answer = [status, error, text].filter((part) => part !== null).join(' ')
      const which = copy === undefined ? `Attempt ${attempt}` : `Copy ${copy}`
      return `${which} at ${at}: ${cut(answer, 200)}`
    }),
    `Headers: ${cut(sent.join('; '), 600)}`,
    `Body: ${cut(body, 900)}`,
  ])
}

const explainSignature = tool({
  name: 'explain_signature',
  title: 'Explain signature',
  description:
    'Says whether the signature of a webhook is valid, and if not, why: another secret, a parsed body, a wrong encoding. Pass the headers and the raw body as your receiver got them.',
  input: {
    headers: withWords(
      explainRequest.fields.headers,
      'The headers of the delivery, such as {"X-Service-Signature": "…"}.',
    ),
    body: withWords(explainRequest.fields.body, 'The raw body, before anything parsed it.'),
    secret: optional(string, { description: 'The secret that your receiver verifies with.' }),
    webhook: optional(string, {
      description: 'Instead of a secret: the name of a webhook, to use its own secret.',
    }),
    header: optional(string, {
      description: 'The header with the signature. Default: X-Service-Signature.',
    }),
    prefix: optional(string, { description: 'The text before the signature, such as sha256=.' }),
    encoding: optional(literal('hex', 'base64'), { description: 'Default: hex.' }),
  },
  annotations: READS,
  async run({ headers, body, secret, webhook, ...form }, { call }) {
    if ((secret === undefined) === (webhook === undefined)) {
      throw new ToolError('Pass either "secret" or "webhook", the name of a webhook.')
    }
    if (webhook !== undefined) {
      const params = { name: webhook }
      const delivered = { headers, body }
      const found = await call('POST /webhooks/{name}/explain', { params, body: delivered })
      return signatureText(found.verdict, found.diagnosis ?? undefined)
    }
    const { verify } = await import('../../../webhooks/signature/verify.js')
    const { diagnose } = await import('../../../webhooks/signature/diagnose.js')
    const rules = { secrets: [secret!], ...form }
    const { verdict } = await verify({ headers, body }, rules)
    const diagnosis = await diagnose({ headers, body }, rules)
    return new Redactor({ secrets: [secret!] }).redact(signatureText(verdict, diagnosis?.text))
  },
})

function signatureText(verdict: string, diagnosis: string | undefined): string {
  return diagnosis === undefined ? `Verdict: ${verdict}.` : `Verdict: ${verdict}.\n${diagnosis}`
}

export const webhookTools = [listDeliveries, explainSignature]
