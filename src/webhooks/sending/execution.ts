import { toIso } from '../../base/text/iso.js'
import type { Delivery } from './delivery.js'

/** One run of an automation, in the form of the service's history. */
export interface Execution {
  /** When the event happened, in ISO 8601. */
  readonly timestamp: string
  /** The name of the automation. */
  readonly automation: string
  /** The type of the event, such as `RUN_STATE`. */
  readonly event: string
  /** `Finished` if the receiver acknowledged it, `Pending` while attempts follow, otherwise `Failed`. */
  readonly status: 'Finished' | 'Failed' | 'Pending'
  /** What was sent, and where. */
  readonly action: { readonly url: string; readonly payload: string }
  /** The status of the latest attempt; null if there was no response. */
  readonly response_status: number | null
  /** Why the latest attempt failed; null if it did not. */
  readonly error: string | null
}

/** Returns a delivery as the run of its automation. */
export function executionOf(delivery: Delivery): Execution {
  const { attempts, automation, status, event, url, text } = delivery
  const last = attempts.at(-1)
  return {
    timestamp: toIso(event.at),
    automation,
    event: event.type,
    status: EXECUTION_STATUS[status],
    action: { url, payload: text },
    response_status: last?.status ?? null,
    error: last?.error ?? null,
  }
}

const EXECUTION_STATUS = {
  pending: 'Pending',
  delivered: 'Finished',
  failed: 'Failed',
  cancelled: 'Failed',
} as const
