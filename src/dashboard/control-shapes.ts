/** What the control API answers with, as far as the dashboard reads it. Times are ISO 8601. */

export interface Info {
  version: string
  seed: number
  scenario: { name: string; description: string }
  training_url: string
  inference_url: string
  control_token_needed: boolean
}

export interface ClockState {
  mode: ClockMode
  /** Seconds of the scenario per second of real time. */
  speed: number
  now: string
  /** How many appointments are to come. */
  pending: number
  next_at: string | null
}

export const clockModes = ['real', 'auto', 'manual', 'instant'] as const
export type ClockMode = (typeof clockModes)[number]

export const jobStatuses = ['queued', 'running', 'ended', 'failed'] as const
export type JobStatus = (typeof jobStatuses)[number]

export interface Job {
  id: string
  kind: 'rl' | 'sft'
  model: { id: string; entity: string; project: string; name: string }
  /** 1 is the first job of its model. */
  ordinal: number
  status: JobStatus
  stalled: boolean
  step: number
  steps: number | null
  /** Metrics of the last gradient step. */
  latest: Readonly<Record<string, unknown>>
  created_at: string
  training_start: string | null
  training_end: string | null
  error_message: string | null
  checkpoint_step: number | null
  /** How many events it has had. */
  events: number
  /** The journal's id of the request that created it. */
  request_id: number | null
}

export interface JobEvent {
  /** Counts up from 0 within its job. */
  index: number
  id: string
  type: string
  at: string
  data: Readonly<Record<string, unknown>>
}

export interface EventPage {
  events: JobEvent[]
  total: number
}

/** Columns: the value of `metrics.loss[i]` belongs to step `steps[i]`. */
export interface MetricColumns {
  steps: number[]
  metrics: Readonly<Record<string, readonly (number | null)[]>>
}

export interface ModelRecord {
  id: string
  checkpoints: Checkpoint[]
}

export interface Checkpoint {
  step: number
  id: string
  created_at: string
  aliases?: readonly string[]
  metrics: Readonly<Record<string, unknown>>
}

export interface Delivery {
  id: string
  automation?: string | null
  webhook: string
  event: string
  state: string
  created_at: string
  job_id?: string | null
  attempts: readonly Attempt[]
  /** The payload as text, byte for byte as it was sent. */
  body: string
  headers: Readonly<Record<string, string>>
  verdict?: string | null
  diagnosis?: string | null
}

export interface Attempt {
  attempt: number
  at: string
  status?: number | null
  /** Milliseconds. */
  took?: number | null
  error?: string | null
  response_excerpt?: string | null
}

/** What the webhook sink took in. */
export interface SinkRecord {
  id: string
  at: string
  method: string
  path: string
  headers: Readonly<Record<string, string>>
  body: string
  /** Byte for byte as it came, unless a secret is in it. */
  body_base64: string
  verdict: string
  diagnosis: string | null
  duplicate_of: string | null
  same_bytes_as: string | null
  /** Milliseconds since the event that caused it, where that is known. */
  latency: number | null
}

/** One entry of the journal. What else it has depends on its kind. */
export interface Entry {
  id: number
  at: string
  cause?: number | null
  kind: 'request' | 'job' | 'delivery' | 'receipt' | 'note'
  text?: string
  job_id?: string
}

export interface RequestEntry extends Entry {
  kind: 'request'
  host: string
  method: string
  path: string
  query: string
  operation?: string
  status?: number
  lost?: 'disconnect' | 'hang'
  /** Milliseconds of wall time until the answer was ready. */
  took?: number
  /** Of an error: why. */
  detail?: string
  hint?: string
  effects?: readonly string[]
}

export function isRequest(entry: Entry): entry is RequestEntry {
  return entry.kind === 'request'
}
