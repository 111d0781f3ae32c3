import type { Host } from '../contract/exchange.js'
import type { DeliveryEntry } from '../engine/journal.js'
import type { JobKind } from '../scenario/scenario.js'

/** What came of playing a scenario, as plain data; how it is shown is decided elsewhere. */
export interface PlayReport {
  scenario: { name: string; description: string }
  seed: number
  /** All that was done and seen, in order. */
  timeline: PlayEntry[]
  jobs: PlayedJob[]
  /** How many job events came that the client had seen already. */
  duplicates: number
}

/** `at` is in virtual milliseconds since the start. */
export type PlayEntry =
  | { kind: 'call'; at: number; call: PlayCall }
  | { kind: 'event'; at: number; job: PlayedJob; event: PlayedEvent }
  | { kind: 'checkpoint'; at: number; checkpoint: PlayedCheckpoint }
  /** An attempt to deliver a webhook. */
  | { kind: 'delivery'; at: number; delivery: DeliveryEntry }
  /** What the emulator's journal notes by itself. */
  | { kind: 'note'; at: number; text: string }
  /** What the client has to say of itself: that it gave up, and why. */
  | { kind: 'remark'; at: number; text: string }

/** One attempt at one call. */
export interface PlayCall {
  host: Host
  method: string
  /** With its query. */
  path: string
  /** From 1; later ones are retries. */
  attempt: number
  /** When it was sent, and how long the answer took, in virtual milliseconds. */
  at: number
  took: number
  result: 'answered' | 'refused' | 'lost' | 'timeout' | 'unreadable'
  status?: number
  /** Why it went wrong, in the service's words. */
  message?: string
  /** How long the client waits before it tries again; left out where it does not. */
  retryIn?: number
  /** One of the polls that a client makes all the time, and nothing was wrong with it. */
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
  /** Undefined where it could not be created. */
  id: string | undefined
  kind: JobKind
  model: string
  /**
   * `running`: the client gave up waiting; `lost`: it could not follow the job any more;
   * `refused`: there never was one.
   */
  ended: 'ended' | 'failed' | 'running' | 'lost' | 'refused'
  startedAt: number
  endedAt: number
  /** Why it failed, or what the client met. */
  reason?: string
  events: PlayedEvent[]
  /** The newest one of its model when it was over. */
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
