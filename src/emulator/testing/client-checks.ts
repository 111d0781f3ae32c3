import { aFlag, Options } from '../../base/text/options.js'
import type { JournalEntry, RequestEntry } from '../../service/engine/journal.js'
import { faultDefinition } from '../../service/scenario/faults/kinds/index.js'
import { deliveriesIn, isAcknowledged, isUnderWay } from './deliveries.js'
import { formatRequest } from './format.js'
import { traceOf } from './trace.js'
import type { TestedWorld } from './world.js'
import { EmulatorError } from '../../base/text/emulator-error.js'

/** The mistakes of clients to look for. Each check is on unless it is `false`. */
export interface ClientChecks {
  /** A batch submitted again after an answer that was lost or an error, or before the client saw that job end. */
  duplicateJobs?: boolean
  /** A cursor of events before one that the client already used. */
  backwardCursors?: boolean
  /** A cursor of events after some that the client never received. */
  skippedEvents?: boolean
  /** A poll for a job after the client was shown that it ended. */
  pollsPastTheEnd?: boolean
  /** Deliveries that were not acknowledged, or more than once. */
  deliveries?: boolean
}

export const clientChecks = new Options<ClientChecks>('assertClientChecks', {
  duplicateJobs: aFlag,
  backwardCursors: aFlag,
  skippedEvents: aFlag,
  pollsPastTheEnd: aFlag,
  deliveries: aFlag,
})

/** Thrown when a client check fails, with everything that was found. Code `SVTRAIN_CONDUCT`. */
export class ClientCheckError extends EmulatorError {
  override readonly name = 'ClientCheckError'
  readonly code = 'SVTRAIN_CONDUCT'
  /** One sentence for each mistake. */
  readonly findings: readonly string[]

  /** @internal */
  constructor(findings: readonly string[], world: TestedWorld) {
    const lines = findings.map((finding) => `  ${finding}`)
    super(['The client checks failed:', ...lines, '', traceOf(world)].join('\n'))
    this.findings = findings
  }
}

type Check = (world: TestedWorld, requests: readonly RequestEntry[]) => Omit<Finding, 'check'>[]

const checks: Readonly<Record<keyof ClientChecks, Check>> = {
  duplicateJobs,
  backwardCursors,
  skippedEvents,
  pollsPastTheEnd,
  deliveries: wrongDeliveries,
}

export const checkNames = Object.keys(checks) as readonly (keyof ClientChecks)[]

/** A mistake of a client. */
export interface Finding {
  readonly check: keyof ClientChecks
  /** What the client did, as a sentence without a full stop. */
  readonly text: string
  /** The ids of the requests that it is about, the mistake first. */
  readonly requests: readonly number[]
}

/**
 * Returns a sentence for each mistake of a client; it ends with how to turn off its check.
 *
 * @throws {OptionsError} When there is no such check.
 */
export function failedClientChecks(world: TestedWorld, chosen: ClientChecks = {}): string[] {
  return findingsIn(world, chosen).map(({ check, text }) => `${text} (${check}: false allows it)`)
}

/**
 * Returns each mistake of a client.
 *
 * @throws {OptionsError} When there is no such check.
 */
export function findingsIn(world: TestedWorld, chosen: ClientChecks = {}): Finding[] {
  clientChecks.check(chosen)
  const requests = world.journal.entries.filter((entry) => entry.kind === 'request')
  return checkNames.flatMap((check) => {
    if (chosen[check] === false) return []
    return checks[check](world, requests).map((found) => ({ check, ...found }))
  })
}

/**
 * A loop may sample the same answers again, and train on them in its next step. So a batch that comes again is a
 * mistake only if the client could not know how the job before it ended.
 */
function duplicateJobs(
  { engine, journal }: TestedWorld,
  requests: readonly RequestEntry[],
): Omit<Finding, 'check'>[] {
  const creations = new Map(requests.map((request) => [request.id, request]))
  const endsSeen = firstSightsOfEnds(journal.entries)
  const last = new Map<string, { id: string; request: RequestEntry }>()
  const findings: Omit<Finding, 'check'>[] = []
  for (const { id, kind, cause } of engine.store.jobs.values()) {
    const request = cause === undefined ? undefined : creations.get(cause)
    const batch = kind === 'rl' && request ? batchOf(request) : undefined
    if (!request || batch === undefined) continue
    const earlier = last.get(batch)
    last.set(batch, { id, request })
    if (!earlier) continue
    const isReceived = wasReceived(earlier.request)
    const seenAt = Math.min(
      endsSeen.get(sightOf(earlier.id, request)) ?? Infinity,
      endsSeen.get(sightOf(earlier.id, 'webhook')) ?? Infinity,
    )
    if (isReceived && seenAt < request.id) continue
    const why = isReceived
      ? ', and the client had not seen that job end'
      : ', but the client never received its response'
    findings.push({
      text: `job ${id} is a duplicate: ${formatRequest(request)} sent the same batch as ${formatRequest(earlier.request)}, which created job ${earlier.id}${why}`,
      requests: [request.id, earlier.request.id],
    })
  }
  return findings
}

/** Names a job and who was shown its end: the client of a request, or a receiver of webhooks. */
function sightOf(jobId: string, by: RequestEntry | 'webhook'): string {
  return `${jobId} ${by === 'webhook' ? by : by.headers.authorization}`
}

/** Returns the id of the first entry that showed the end of each job, by the name of the sight. */
function firstSightsOfEnds(entries: readonly JournalEntry[]): Map<string, number> {
  const sights = new Map<string, number>()
  const ends = new Map<number, string>()
  const see = (sight: string, id: number): void => {
    if (!sights.has(sight)) sights.set(sight, id)
  }
  for (const entry of entries) {
    if (entry.kind === 'request') {
      const { jobView, id } = entry
      if (jobView?.over === true && wasReceived(entry)) see(sightOf(jobView.jobId, entry), id)
    } else if (entry.kind === 'job') {
      if (END_EVENTS.has(entry.event)) ends.set(entry.id, entry.jobId)
    } else if (entry.kind === 'delivery') {
      const jobId = entry.cause === undefined ? undefined : ends.get(entry.cause)
      if (jobId !== undefined && isAcknowledged(entry)) see(sightOf(jobId, 'webhook'), entry.id)
    }
  }
  return sights
}

const END_EVENTS = new Set(['training_ended', 'training_failed'])

/** Returns what a job was created from, as text; undefined for an empty batch. */
function batchOf({ body }: RequestEntry): string | undefined {
  const { model_id, trajectory_groups } = (body ?? {}) as Record<string, unknown>
  if (!Array.isArray(trajectory_groups) || trajectory_groups.length === 0) return undefined
  return JSON.stringify([model_id, trajectory_groups])
}

function wasAnswered({ status, lost }: RequestEntry): boolean {
  return lost === undefined && status !== undefined && status < 400
}

/** Whether the client got an answer that says yes, and that it may have read. */
function wasReceived(request: RequestEntry): boolean {
  return wasAnswered(request) && mayBeRead(request)
}

/** Whether no fault changed the answer. A client that a fault misled may go back. */
function wasAnsweredTruly(request: RequestEntry): boolean {
  return wasAnswered(request) && request.effects.length === 0
}

const EVENTS_PATH = /\/training-jobs\/([^/]+)\/events$/

/** What a request for events asked for that was refused before the work. */
function refusedView(
  { engine }: TestedWorld,
  { operation, path, query }: RequestEntry,
): { jobId: string; from: number } | undefined {
  if (operation !== 'listTrainingJobEvents') return undefined
  const jobId = EVENTS_PATH.exec(path)?.[1] ?? ''
  const cursor = new URLSearchParams(query).get('after')
  const index = cursor ? engine.store.jobs.get(jobId)?.indexOf(cursor) : -1
  return index === undefined ? undefined : { jobId, from: index + 1 }
}

/**
 * Whether a fault changed what an answer says about events, so that the client may go back. An answer that is
 * missing, or that nobody can read, is no reason: the client has the cursor of the page before.
 */
function mayMislead({ faults }: RequestEntry): boolean {
  return faults.some(({ fault }) => {
    const { damage, page } = faultDefinition(fault)
    return damage === 'changed' || page !== undefined
  })
}

/**
 * A client reads the events of a job from the start, without a cursor, and then its cursors only grow. It
 * may start again at any time, and several clients may read the same job.
 */
function backwardCursors(
  world: TestedWorld,
  requests: readonly RequestEntry[],
): Omit<Finding, 'check'>[] {
  const readings = new Map<string, number[]>()
  return requests.flatMap((request) => {
    const jobView = request.jobView ?? refusedView(world, request)
    if (jobView?.from === undefined) return []
    const reader = `${request.headers.authorization} ${jobView.jobId}`
    const places = readings.get(reader) ?? []
    readings.set(reader, places)
    if (jobView.from === 0) {
      places.push(0)
      return []
    }
    const furthest = Math.max(-1, ...places)
    const before = Math.max(-1, ...places.filter((place) => place <= jobView.from!))
    if (before >= 0) places.splice(places.indexOf(before), 1)
    places.push(jobView.from)
    if (mayMislead(request)) places.push(0)
    if (before >= 0 || furthest < 0) return []
    return [
      {
        text: `${formatRequest(request)} went back: its cursor is event ${jobView.from} of job ${jobView.jobId}, after a cursor at event ${furthest}`,
        requests: [request.id],
      },
    ]
  })
}

/**
 * A client knows a cursor from a page that it received, and it received all pages before that one. Only jobs
 * that were read from the start are judged: a client may have read others before the journal began.
 */
function skippedEvents(
  { journal }: TestedWorld,
  requests: readonly RequestEntry[],
): Omit<Finding, 'check'>[] {
  const isComplete = (journal.entries[0]?.id ?? 1) === 1
  if (!isComplete) return []
  const received = new Map<string, number>()
  return requests.flatMap((request) => {
    const { jobView } = request
    if (jobView?.from === undefined) return []
    const { jobId, from, shown } = jobView
    const end = received.get(jobId) ?? (from === 0 ? 0 : undefined)
    if (end === undefined) return []
    if (shown && shown[0] <= end && mayBeRead(request)) {
      received.set(jobId, Math.max(end, shown[1]))
    } else received.set(jobId, end)
    if (from <= end) return []
    return [
      {
        text: `${formatRequest(request)} skipped events: its cursor is event ${from} of job ${jobId}, but the client received only the first ${end}`,
        requests: [request.id],
      },
    ]
  })
}

/** Whether a client may have read at least a part of the answer. */
function mayBeRead({ status, faults, effects }: RequestEntry): boolean {
  if (status === undefined || status >= 400) return false
  const isUnreadable = faults.some(({ fault }) => faultDefinition(fault).damage === 'unreadable')
  return !isUnreadable || effects.some((effect) => effect.endsWith(': truncated'))
}

function pollsPastTheEnd(
  _world: TestedWorld,
  requests: readonly RequestEntry[],
): Omit<Finding, 'check'>[] {
  const shown = new Map<string, RequestEntry>()
  return requests.flatMap((request) => {
    const { jobView, operation } = request
    if (!jobView) return []
    const reader = `${request.headers.authorization} ${operation} ${jobView.jobId}`
    const end = shown.get(reader)
    if (end) {
      return [
        {
          text: `${formatRequest(request)} polled job ${jobView.jobId}, although ${formatRequest(end)} had shown its end`,
          requests: [request.id, end.id],
        },
      ]
    }
    if (jobView.over && wasAnsweredTruly(request)) shown.set(reader, request)
    return []
  })
}

function wrongDeliveries({ journal }: TestedWorld): Omit<Finding, 'check'>[] {
  return deliveriesIn(journal.entries).flatMap((attempts) => {
    const { deliveryId, event, webhook } = attempts[0]!
    const times = attempts.filter(isAcknowledged).length
    if (times === 1 || attempts.some(isUnderWay)) return []
    const how = times === 0 ? 'was not acknowledged' : `was acknowledged ${times} times`
    return [{ text: `delivery ${deliveryId} (${event} to ${webhook}) ${how}`, requests: [] }]
  })
}
