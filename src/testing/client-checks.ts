import { aFlag, Options } from '../text/options.js'
import type { RequestEntry } from '../engine/journal.js'
import { deliveriesIn, isAcknowledged, isUnderWay } from './deliveries.js'
import { toldRequest } from './told.js'
import { traceOf } from './trace.js'
import type { TestedWorld } from './world.js'
import { EmulatorError } from '../text/emulator-error.js'

/** What is looked for in what a client did; each is on unless it is `false`. */
export interface ConductChecks {
  /** Two jobs created from the same batch of trajectories on the same model, as a blind retry does. */
  duplicateJobs?: boolean
  /** A cursor of events before one that the client had already been at. */
  backwardCursors?: boolean
  /** News of a job asked for once more, by one who had been shown its end. */
  pollsPastTheEnd?: boolean
  /** Deliveries that were not acknowledged, or more than once. */
  deliveries?: boolean
}

export const conductChecks = new Options<ConductChecks>('assertSoundConduct', {
  duplicateJobs: aFlag,
  backwardCursors: aFlag,
  pollsPastTheEnd: aFlag,
  deliveries: aFlag,
})

/** Raised where a client's conduct is not sound: all that was found. Code `SVTRAIN_CONDUCT`. */
export class ConductError extends EmulatorError {
  override readonly name = 'ConductError'
  readonly code = 'SVTRAIN_CONDUCT'
  readonly findings: readonly string[]
  constructor(findings: readonly string[], world: TestedWorld) {
    const told = findings.map((finding) => `  ${finding}`)
    super(['The client did what it should not do:', ...told, '', traceOf(world)].join('\n'))
    this.findings = findings
  }
}

type Check = (world: TestedWorld, requests: readonly RequestEntry[]) => string[]

const checks: Readonly<Record<keyof ConductChecks, Check>> = {
  duplicateJobs,
  backwardCursors,
  pollsPastTheEnd,
  deliveries: unsoundDeliveries,
}

export const checkNames = Object.keys(checks) as readonly (keyof ConductChecks)[]

/** All that is wrong with what clients did, in words; each ends with how not to look for it. */
export function misconductIn(world: TestedWorld, chosen: ConductChecks = {}): string[] {
  conductChecks.check(chosen)
  const requests = world.journal.entries.filter((entry) => entry.kind === 'request')
  return checkNames.flatMap((name) => {
    if (chosen[name] === false) return []
    return checks[name](world, requests).map((finding) => `${finding} (${name}: false allows it)`)
  })
}

function duplicateJobs({ engine }: TestedWorld, requests: readonly RequestEntry[]): string[] {
  const creations = new Map(requests.map((request) => [request.id, request]))
  const first = new Map<string, { id: string; request: RequestEntry }>()
  const findings: string[] = []
  for (const { id, kind, cause } of engine.store.jobs.values()) {
    const request = cause === undefined ? undefined : creations.get(cause)
    const batch = kind === 'rl' && request ? batchOf(request) : undefined
    if (!request || batch === undefined) continue
    const earlier = first.get(batch)
    if (!earlier) {
      first.set(batch, { id, request })
      continue
    }
    const ghost = heard(earlier.request) ? '' : ', whose answer the client never had'
    findings.push(
      `job ${id} is a duplicate: ${toldRequest(request)} sent the same batch as ${toldRequest(earlier.request)}, which had created job ${earlier.id}${ghost}`,
    )
  }
  return findings
}

/** What a job was created from, as a text; a batch of nothing is none. */
function batchOf({ body }: RequestEntry): string | undefined {
  const { model_id, trajectory_groups } = (body ?? {}) as Record<string, unknown>
  if (!Array.isArray(trajectory_groups) || trajectory_groups.length === 0) return undefined
  return JSON.stringify([model_id, trajectory_groups])
}

function heard({ status, lost }: RequestEntry): boolean {
  return lost === undefined && status !== undefined && status < 400
}

/** Whoever is told something else than what is so may well turn back. */
function heardPlainly(request: RequestEntry): boolean {
  return heard(request) && request.effects.length === 0
}

/**
 * Each reading of a job's events begins without a cursor, and its cursors then only grow. A client may
 * begin anew at any time (contract facts, section 7), and several may read side by side.
 */
function backwardCursors(_world: TestedWorld, requests: readonly RequestEntry[]): string[] {
  const readings = new Map<string, number[]>()
  return requests.flatMap((request) => {
    const { jobView } = request
    if (jobView?.from === undefined) return []
    const who = `${request.headers.authorization} ${jobView.jobId}`
    const places = readings.get(who) ?? []
    readings.set(who, places)
    if (jobView.from === 0) {
      places.push(0)
      return []
    }
    const furthest = Math.max(-1, ...places)
    const before = Math.max(-1, ...places.filter((place) => place <= jobView.from!))
    if (before >= 0) places.splice(places.indexOf(before), 1)
    places.push(jobView.from)
    if (!heardPlainly(request)) places.push(0)
    if (before >= 0 || furthest < 0) return []
    return [
      `${toldRequest(request)} went back: its cursor is event ${jobView.from} of job ${jobView.jobId}, after one that was event ${furthest}`,
    ]
  })
}

function pollsPastTheEnd(_world: TestedWorld, requests: readonly RequestEntry[]): string[] {
  const shown = new Map<string, RequestEntry>()
  return requests.flatMap((request) => {
    const { jobView, operation } = request
    if (!jobView) return []
    const who = `${request.headers.authorization} ${operation} ${jobView.jobId}`
    const end = shown.get(who)
    if (end) {
      return [
        `${toldRequest(request)} asks for news of job ${jobView.jobId}, whose end ${toldRequest(end)} had shown`,
      ]
    }
    if (jobView.over && heardPlainly(request)) shown.set(who, request)
    return []
  })
}

function unsoundDeliveries({ journal }: TestedWorld): string[] {
  return deliveriesIn(journal.entries).flatMap((attempts) => {
    const { deliveryId, event, webhook } = attempts[0]!
    const times = attempts.filter(isAcknowledged).length
    if (times === 1 || attempts.some(isUnderWay)) return []
    const how = times === 0 ? 'was not acknowledged' : `was acknowledged ${times} times`
    return [`delivery ${deliveryId} (${event} to ${webhook}) ${how}`]
  })
}
