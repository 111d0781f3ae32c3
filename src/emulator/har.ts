import type { ClockMode } from '../base/clock/clock.js'
import { faultKinds } from '../service/scenario/faults/kinds/index.js'
import type { ReportContents } from './report-options.js'

/** A list of requests in the HAR format, version 1.2. Many tools read it. */
export interface Har {
  /** The requests, and what wrote them. */
  readonly log: HarLog
}

/** The requests, and what wrote them. */
export interface HarLog {
  /** The version of the format. */
  readonly version: '1.2'
  /** The emulator and its version. */
  readonly creator: { readonly name: string; readonly version: string }
  /** One for each world, if there are several. */
  readonly pages?: readonly HarPage[]
  /** Oldest first. */
  readonly entries: readonly HarEntry[]
  /** The scenario, the seed and the clock. */
  readonly comment?: string
  /**
   * What only the emulator knows. `scenarios from` reads it.
   *
   * @internal
   */
  readonly _svtrain: HarRun
}

/**
 * What only the emulator knows about a run.
 *
 * @internal
 */
export interface HarRun {
  /** The mode of the clock. */
  readonly clock: ClockMode
  /** Whether the bodies have prompts, messages, completions and trajectories. */
  readonly contents: ReportContents
  /** The latest jobs, oldest first, with at most 20,000 events. */
  readonly jobs: readonly HarJob[]
  /** How many older jobs are not in it. */
  readonly jobs_left_out: number
  /** What was sent to receivers, for each world with webhooks. */
  readonly webhooks: readonly HarWebhooks[]
}

/**
 * The webhooks of a world.
 *
 * @internal
 */
export interface HarWebhooks {
  /** The name of the world. Null if all keys share one. */
  readonly world: string | null
  /** The webhooks and the automations as a scenario says them, without URLs and values of secrets. */
  readonly parts: Readonly<Record<string, unknown>>
}

/**
 * A job, and all that happened to it.
 *
 * @internal
 */
export interface HarJob {
  /** Its id. */
  readonly id: string
  /** The name of its world. Null if all keys share one. */
  readonly world: string | null
  /** `rl` or `sft`. */
  readonly kind: 'rl' | 'sft'
  /** The model that it trains. */
  readonly model: {
    readonly id: string
    readonly entity: string
    readonly project: string
    readonly name: string
  }
  /** Its number among the jobs of the model, from 1. */
  readonly ordinal: number
  /** The `_svtrain.id` of the request that created it. Null if none did. */
  readonly request_id: number | null
  /** When it was created, on the clock of the emulator. */
  readonly created_at: string
  /** Whether it is over, or goes on by itself. False: it stays as it is. */
  readonly goes_on: boolean
  /** Its events as the API lists them, oldest first, each as a text. JSON has no NaN, and a metric may be one. */
  readonly events: readonly string[]
  /** When each event happened, in milliseconds since the creation. */
  readonly times: readonly number[]
}

/** A world. */
export interface HarPage {
  /** What `pageref` of a request names. */
  readonly id: string
  /** The world, its scenario and its seed. */
  readonly title: string
  /** When the world began, on the clock of the emulator. */
  readonly startedDateTime: string
  /** Empty: a world has no times of a page. */
  readonly pageTimings: Readonly<Record<string, number>>
}

/** A name and a value. */
export interface HarField {
  /** The name, as it was sent. */
  readonly name: string
  /** The value. Keys and secrets are replaced. */
  readonly value: string
}

/** A request and its response. */
export interface HarEntry {
  /** The world that it belongs to, if there are several. */
  readonly pageref?: string
  /** When it arrived, on the clock of the emulator. */
  readonly startedDateTime: string
  /** Milliseconds of real time. */
  readonly time: number
  /** What the client sent. */
  readonly request: {
    readonly method: string
    readonly url: string
    readonly httpVersion: string
    readonly cookies: readonly HarField[]
    readonly headers: readonly HarField[]
    readonly queryString: readonly HarField[]
    readonly postData?: {
      readonly mimeType: string
      readonly text: string
      readonly comment?: string
    }
    readonly headersSize: number
    readonly bodySize: number
  }
  /** What the emulator answered. */
  readonly response: {
    /** 0 without a response. */
    readonly status: number
    readonly statusText: string
    readonly httpVersion: string
    readonly cookies: readonly HarField[]
    readonly headers: readonly HarField[]
    readonly content: {
      readonly size: number
      readonly mimeType: string
      readonly text: string
      readonly comment?: string
    }
    readonly redirectURL: string
    readonly headersSize: number
    readonly bodySize: number
  }
  /** Empty: the emulator has no cache. */
  readonly cache: Readonly<Record<string, never>>
  /** The parts of `time`, in milliseconds. */
  readonly timings: { readonly send: number; readonly wait: number; readonly receive: number }
  /** What only the emulator knows. */
  readonly _svtrain: HarDetails
}

/** A fault that had an effect on a request. */
export interface HarFault {
  /** Its name. */
  readonly name: string
  /** Its kind, such as `status`. */
  readonly fault: string
  /**
   * What it changed, if the answer does not show it.
   *
   * @internal
   */
  readonly change?: Readonly<Record<string, unknown>>
}

/** The kinds of faults that an answer does not show, and what they say about it. */
export const HIDDEN_CHANGES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(faultKinds).flatMap(([kind, { unseen }]) => (unseen ? [[kind, unseen]] : [])),
)

/** What only the emulator knows about a request. */
export interface HarDetails {
  /** The id of the journal entry. */
  readonly id: number
  /** The name of the world. Null if all keys share one. */
  readonly world: string | null
  /** When the response was ready, on the clock of the emulator. Null: it never was. */
  readonly answered_at: string | null
  /** The id of the operation. Null if none matched. */
  readonly operation: string | null
  /** Why the response is missing or incomplete. */
  readonly lost: 'disconnect' | 'hang' | null
  /** Why it was refused. */
  readonly detail: string | null
  /** The faults that had an effect. */
  readonly faults: readonly HarFault[]
  /** What it caused, as texts for people. */
  readonly effects: readonly string[]
  /** What the client checks say about it. */
  readonly findings: readonly string[]
  /** The name of the model that it is about. */
  readonly model: string | null
  /** The id of the job that it is about. */
  readonly job_id: string | null
}
