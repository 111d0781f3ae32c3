import { toIso } from '../../base/text/iso.js'
import type { Engine } from '../../service/engine/engine.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { Attempt, Delivery } from '../../webhooks/sending/delivery.js'
import { formatEvent, type WebhookEvent } from '../../webhooks/sending/event.js'
import type { Webhooks } from '../../webhooks/sending/webhooks.js'
import { redactedAnswer } from '../../webhooks/sending/transport.js'
import { causeOf } from '../../webhooks/sending/why-failed.js'
import { verify } from '../../webhooks/signature/verify.js'
import type { Emulator } from '../emulator.js'
import { shownUrl } from './shown-url.js'
import type { ControlDelivery } from './schemas/deliveries.js'

interface StateOptions {
  /** Whether to say why signatures are wrong. Default: false. */
  why?: boolean
}

/** Deliveries as JSON. */
export function deliveryStates(
  all: readonly Delivery[],
  emulator: Emulator,
  { why = false }: StateOptions = {},
): Promise<ControlDelivery[]> {
  const jobOf = jobFinder(emulator.engine)
  const states = all.map(async (delivery) => ({
    ...deliveryState(delivery, emulator, jobOf(delivery)),
    ...(await verdictOf(emulator.webhooks, delivery, { why })),
  }))
  return Promise.all(states)
}

/** The result of a verification with the webhook's current secret. */
type CurrentVerdict = Pick<ControlDelivery, 'verdict' | 'diagnosis'>

/**
 * A delivery as JSON, without the secrets of its webhook.
 *
 * @param jobId - The job that caused it.
 */
function deliveryState(
  delivery: Delivery,
  { engine, webhooks }: Emulator,
  jobId: string | undefined,
): Omit<ControlDelivery, keyof CurrentVerdict> {
  const { id, automation, webhook, event, status, attempts } = delivery
  const redact = webhooks.withoutSecrets
  const { sent = delivery.body, headers = {}, url = delivery.url } = latestSent(delivery) ?? {}
  return {
    id,
    automation,
    webhook,
    url: shownUrl(url, webhooks),
    event: event.type,
    text: redact(`${formatEvent(event)}${subjectOf(event, engine.store.jobs.get(jobId ?? ''))}`),
    state: status,
    created_at: toIso(event.at),
    job_id: jobId ?? null,
    attempts: attempts.map((attempt) => ({
      attempt: attempt.number,
      ...(attempt.copy !== undefined && { copy: attempt.copy }),
      at: toIso(attempt.at),
      status: attempt.status ?? null,
      took: attempt.took,
      error: attempt.error === undefined ? null : redact(attempt.error),
      response_excerpt:
        attempt.answer === undefined ? null : redactedAnswer(attempt.answer, redact),
    })),
    body: redact(new TextDecoder().decode(sent)),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, redact(value)]),
    ),
  }
}

/** What an event is about. Jobs of one model have runs of the same name, so a run has the number of its job. */
function subjectOf({ run, artifact, alias }: WebhookEvent, job: Job | undefined): string {
  if (run) return ` · ${run.name}${job ? ` #${job.ordinal}` : ''}`
  if (!artifact) return ''
  // With an alias, the name of the version ends with it. The event says it already.
  const { collection, versionString } = artifact
  const isNamed = alias === undefined && versionString !== ''
  return ` · ${isNamed ? versionString.split('/').at(-1) : collection}`
}

/** What somebody may have received last: without headers, nothing was sent. */
function latestSent({ attempts }: Delivery): Attempt | undefined {
  return attempts.findLast(({ headers }) => Object.keys(headers).length > 0)
}

/** Verifies the latest attempt that was sent. Without one, there is no verdict. */
async function verdictOf(
  webhooks: Webhooks,
  delivery: Delivery,
  { why }: { why: boolean },
): Promise<CurrentVerdict> {
  const rules = webhooks.rulesOf(delivery.webhook)
  const diagnosisWith = (wrong?: string): string | null => {
    const cause = causeOf(delivery, rules, wrong)
    return cause === undefined ? null : webhooks.withoutSecrets(cause)
  }
  const sent = latestSent(delivery)
  if (!rules || !sent) return { verdict: null, diagnosis: diagnosisWith() }
  const delivered = { body: sent.sent ?? delivery.body, headers: sent.headers }
  const { verdict } = await verify(delivered, rules)
  if (!why || verdict === 'valid' || verdict === 'unverifiable') {
    return { verdict, diagnosis: diagnosisWith() }
  }
  const { diagnose } = await import('../../webhooks/signature/diagnose.js')
  return { verdict, diagnosis: diagnosisWith((await diagnose(delivered, rules))?.text) }
}

type JobFinder = (delivery: Delivery) => string | undefined

/** Returns what finds the id of the job that caused a delivery. What an older version saved does not name it. */
export function jobFinder({ journal }: Engine): JobFinder {
  let jobs: Map<number | undefined, string> | undefined
  return ({ event }) => {
    if (event.jobId !== undefined) return event.jobId
    jobs ??= new Map(
      journal.entries.flatMap((entry) => (entry.kind === 'job' ? [[entry.id, entry.jobId]] : [])),
    )
    return jobs.get(event.cause)
  }
}
