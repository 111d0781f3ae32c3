import type { ControlDelivery } from './schemas.js'
import type { Engine } from '../engine/engine.js'
import type { Delivery } from '../webhooks/delivery.js'
import { verify, type Verdict } from '../signature/verify.js'
import type { Webhooks } from '../webhooks/webhooks.js'
import { toIso } from '../text/iso.js'

/** What a receiver finds that knows the webhook's secret as it is by now. */
interface Found {
  readonly verdict: Verdict | null
  readonly diagnosis: string | null
}

interface Around {
  webhooks: Webhooks
  jobs: ReadonlyMap<number | undefined, string>
  verdict: Found
}

/** A delivery as JSON. Of what its webhook keeps secret, nothing is told. */
export function deliveryState(
  delivery: Delivery,
  { webhooks, jobs, verdict }: Around,
): ControlDelivery {
  const { id, automation, webhook, event, status, attempts } = delivery
  const shown = (text: string): string => webhooks.withoutSecrets(text)
  const { sent = delivery.body, headers = {} } = attempts.at(-1) ?? {}
  return {
    id,
    automation,
    webhook,
    event: event.type,
    state: status,
    created_at: toIso(event.at),
    job_id: jobs.get(event.cause) ?? null,
    attempts: attempts.map((attempt) => ({
      attempt: attempt.number,
      at: toIso(attempt.at),
      status: attempt.status ?? null,
      took: attempt.took,
      error: attempt.error === undefined ? null : shown(attempt.error),
      response_excerpt: attempt.answer === undefined ? null : shown(attempt.answer),
    })),
    body: shown(new TextDecoder().decode(sent)),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, shown(value)]),
    ),
    ...verdict,
  }
}

/** Looks at what was sent last; what was not sent yet has no verdict. */
export async function verdictOf(
  webhooks: Webhooks,
  delivery: Delivery,
  { why = false } = {},
): Promise<Found> {
  const last = delivery.attempts.at(-1)
  const rules = webhooks.rulesOf(delivery.webhook)
  if (!last || !rules) return { verdict: null, diagnosis: null }
  const delivered = { body: last.sent ?? delivery.body, headers: last.headers }
  const { verdict } = await verify(delivered, rules)
  if (!why || verdict === 'valid') return { verdict, diagnosis: null }
  const { diagnose } = await import('../signature/diagnose.js')
  return { verdict, diagnosis: (await diagnose(delivered, rules))?.text ?? null }
}

/** The job that each entry of the journal is about which is about one. */
export function jobsByEntry({ journal }: Engine): ReadonlyMap<number | undefined, string> {
  return new Map(
    journal.entries.flatMap((entry) => (entry.kind === 'job' ? [[entry.id, entry.jobId]] : [])),
  )
}
