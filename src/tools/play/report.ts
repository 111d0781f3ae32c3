import type { Host } from '../../service/contract/exchange.js'
import type { DeliveryEntry } from '../../service/engine/journal.js'
import type { JobKind } from '../../service/scenario/scenario.js'

/** The result of playing a scenario, as plain data. */
export interface PlayReport {
  scenario: { name: string; description: string }
  seed: number
  /** Everything that happened, in order. */
  timeline: PlayEntry[]
  jobs: PlayedJob[]
  /** How many job events arrived again. */
  duplicates: number
  /** What of the scenario did nothing, as sentences. */
  unused: readonly string[]
}

/** `at` is in virtual milliseconds since the start. */
export type PlayEntry =
  | { kind: 'call'; at: number; call: PlayCall }
  | { kind: 'event'; at: number; job: PlayedJob; event: PlayedEvent }
  | { kind: 'checkpoint'; at: number; checkpoint: PlayedCheckpoint }
  /** An attempt to deliver a webhook. */
  | { kind: 'delivery'; at: number; delivery: DeliveryEntry }
  /** A note in the journal of the emulator. */
  | { kind: 'note'; at: number; text: string }
  /** A remark of the client, such as why it gave up. */
  | { kind: 'remark'; at: number; text: string }

/** One attempt at one call. */
export interface PlayCall {
  host: Host
  method: string
  /** With its query. */
  path: string
  /** 1, or more for a retry. */
  attempt: number
  /** When it was sent, and how long the answer took, in virtual milliseconds. */
  at: number
  took: number
  result: 'answered' | 'refused' | 'lost' | 'timeout' | 'unreadable'
  status?: number
  /** The error message of the service. */
  message?: string
  /** How long the client waits before it retries. Undefined if it does not. */
  retryIn?: number
  /** Whether it is a poll without problems. */
  routine: boolean
}

export interface PlayedEvent {
  /** When the client saw it. */
  at: number
  id: string
  type: string
  data: Readonly<Record<string, unknown>>
}

export interface PlayedJob {
  /** Undefined if the job could not be created. */
  id: string | undefined
  kind: JobKind
  model: string
  /**
   * `running`: the client gave up waiting; `lost`: it could no longer follow the job;
   * `refused`: the job was never created.
   */
  ended: 'ended' | 'failed' | 'running' | 'lost' | 'refused'
  startedAt: number
  endedAt: number
  /** Why the job failed, or what went wrong for the client. */
  reason?: string
  /** Why the job had nothing to train on. Undefined if it had something. */
  nothingToTrain?: string
  events: PlayedEvent[]
  /** The newest checkpoint of its model at the end. */
  checkpoint?: PlayedCheckpoint
}

export interface PlayedCheckpoint {
  id: string
  model: string
  step: number
  metrics: Readonly<Record<string, unknown>>
}

/** Explains why a call went wrong: `503: Service Unavailable`. */
export function explainFailure({
  result,
  status,
  message,
}: Pick<PlayCall, 'result' | 'status' | 'message'>): string {
  if (result === 'lost') return 'the connection was lost'
  if (result === 'timeout') return 'no answer came in time'
  if (result === 'unreadable') return `the answer (${status}) is not JSON`
  return message === undefined ? String(status) : `${status}: ${message}`
}
