import type { Api, ApiRequest, Host, Outcome } from '../contract/exchange.js'
import type { Account } from '../scenario/account.js'
import type { Engine } from '../engine/engine.js'
import { hitText } from '../engine/faults/fault-names.js'
import type { PageFault } from '../engine/faults/fault-plan.js'
import type { FailedJob } from '../scenario/faults/definition.js'
import type { RequestEntry } from '../engine/journal.js'
import { faultRequestOf } from './fault-request.js'
import type { Operation, ReceivedJson } from './operation.js'
import type { Match } from './route.js'

/** An answer is a promise only if a stage had to wait. */
export type Answer = Outcome | Promise<Outcome>

/** A request that passes the stages of a pipeline. Each stage sets what the later stages need. */
export abstract class RequestContext {
  readonly host: Api
  readonly request: ApiRequest
  /** What the router found. */
  readonly match: Match
  /** The whole table, for the row that describes it. */
  readonly operations: readonly Operation[]
  /** Set by `whenReady`. */
  engine!: Engine
  /** Set by `record`. */
  entry!: RequestEntry
  #callId: string | undefined
  /** Set by `readBody`. Without `value` if there is no body. */
  json: ReceivedJson = NO_BODY
  /** Set by `askForKey`. */
  account!: Account
  /** Set by `applyFaults`. */
  pageFaults: readonly PageFault[] = NO_FAULTS
  /** Set by `validate`, as are `query` and `body`. */
  params: unknown = undefined
  query: unknown = undefined
  body: unknown = undefined

  constructor({ host, request, match, operations }: MatchedRequest) {
    this.host = host
    this.request = request
    this.match = match
    this.operations = operations
  }

  /** The engine of the world that the request is for. A reset replaces it. */
  abstract get currentEngine(): Engine

  /** The row that matched. A request without one passes no stage that needs it. */
  get row(): Operation {
    return this.#found.operation
  }

  /** What faults and the journal call it: the id of the row, or a more exact name. */
  get callId(): string {
    return this.#callId ?? this.row.id
  }

  set callId(id: string) {
    this.#callId = id
  }

  /** The parameters of the path, unchecked. */
  get pathParameters(): Readonly<Record<string, string>> {
    return this.#found.params
  }

  /** What the client gets: another answer if what this one acknowledges cannot be saved. */
  acknowledged(outcome: Outcome): Outcome {
    return outcome
  }

  /** Decides whether the job that the call creates fails. Call it once for each job. */
  failJob(): FailedJob | undefined {
    const failure = this.engine.faults.failJob(() => faultRequestOf(this, hostOf(this)))
    if (!failure) return undefined
    this.entry.effects.push(hitText(failure.hit))
    this.entry.faults = [...this.entry.faults, failure.hit]
    return failure.failed
  }

  get #found(): Extract<Match, { kind: 'found' }> {
    if (this.match.kind !== 'found') throw new Error('No row matched this request.')
    return this.match
  }
}

export type MatchedRequest = Pick<RequestContext, 'host' | 'request' | 'match' | 'operations'>

/** What a request without a body has as its JSON. */
export const NO_BODY: ReceivedJson = {}
const NO_FAULTS: readonly PageFault[] = []

export type Next<C> = (context: C) => Answer
/** Answers a request, or has `next` answer it. */
export type Stage<C> = (context: C, next: Next<C>) => Answer

/** Joins stages, in order, into one function. Most requests are answered without a promise. */
export function createPipeline<C>(stages: readonly Stage<C>[]): Next<C> {
  const missing: Next<C> = () => {
    throw new Error('The last stage of a pipeline answers.')
  }
  return stages.reduceRight<Next<C>>((next, stage) => (context) => stage(context, next), missing)
}

/** The host of a request that faults may meet. */
export function hostOf({ host }: RequestContext): Host {
  if (host === 'control') throw new Error('The control API has no faults.')
  return host
}
