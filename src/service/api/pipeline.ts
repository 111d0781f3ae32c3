import { ApiError, apiErrors } from '../contract/errors.js'
import {
  BODY_LIMIT,
  DISCONNECT,
  type Api,
  type ApiRequest,
  type Host,
  type Outcome,
} from '../contract/exchange.js'
import {
  contentTypeIn,
  DEFAULT_FRAMEWORK,
  problemsIn,
  type FrameworkVersion,
} from '../contract/framework.js'
import { readJsonBody } from '../contract/pydantic/body.js'
import { model } from '../contract/pydantic/model.js'
import type { MessageArrays } from '../contract/pydantic/reader.js'
import { parameters } from '../contract/pydantic/parameters.js'
import type { Problem } from '../contract/pydantic/problem.js'
import { validateBody } from '../contract/pydantic/validate.js'
import type { Account } from '../scenario/account.js'
import type { Engine } from '../engine/engine.js'
import { hitText } from '../engine/faults/fault-names.js'
import type { PageFault } from '../engine/faults/fault-plan.js'
import type { FailedJob } from '../scenario/faults/definition.js'
import { asksJudge } from './asks-judge.js'
import type { RequestEntry } from '../engine/journal.js'
import { shortened } from '../../base/text/shortened.js'
import { wallNow, wallSince } from '../../base/clock/wall.js'
import { authenticate } from './authenticate.js'
import { encode, Refusal } from './encode.js'
import { faultRequestOf } from './fault-request.js'
import { answerFaulty } from './faulty.js'
import type { Operation, ReceivedJson } from './operation.js'
import type { Result } from './result.js'
import { detailOf } from './refusal-detail.js'
import { inputHint, keyHint } from './refusal-hint.js'
import { CHAT_TAG, PLATFORM_TAG } from './tags.js'
import { lastOfEach, repeatedIn, type Match } from './route.js'

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

const NO_BODY: ReceivedJson = {}
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

/** Waits until the records that the scenario begins with exist. */
export function whenReady<C extends RequestContext>(context: C, next: Next<C>): Answer {
  const engine = context.currentEngine
  // A reset may replace the engine while the request waits.
  if (engine.ready) return engine.ready.then(() => whenReady(context, next))
  context.engine = engine
  return next(context)
}

/** Runs the tasks whose time on the clock has come. */
export function catchUp<C extends RequestContext>(context: C, next: Next<C>): Answer {
  context.engine.clock.catchUp()
  return next(context)
}

/** Starts the scenario's own schedule with the first request. */
export function wake<C extends RequestContext>(context: C, next: Next<C>): Answer {
  context.engine.wake()
  return next(context)
}

/** Records the request and its answer in the journal. What the later stages throw becomes an answer. */
export function record<C extends RequestContext>(context: C, next: Next<C>): Answer {
  const { engine, host, request, match } = context
  const start = wallNow()
  const entry = engine.journal.open(host, request)
  context.entry = entry
  if (match.kind === 'found') entry.operation = match.operation.id
  const answered = decidesWhen(context) ? engine.clientWaits.arrived(entry) : undefined
  const close = (made: Outcome): Outcome => {
    const outcome = context.acknowledged(made)
    recordOutcome(outcome, context)
    recordModel(context)
    answered?.(outcome)
    const sent = engine.journal.respond(entry, outcome)
    engine.journal.close(entry, wallSince(start))
    const until = 'until' in outcome ? outcome.until : undefined
    if (until) engine.journal.hangs(entry, until, () => wallSince(start))
    return sent
  }
  const fail = (error: unknown): Outcome => {
    entry.fault = error
    return close(encode(apiErrors.internal(host), host))
  }
  // A reset ended the world and removed its records, so the answer is dropped.
  const inTime = (outcome: Outcome): Outcome => (engine.clock.ended ? DISCONNECT : outcome)
  try {
    const answer = next(context)
    if (!(answer instanceof Promise)) return close(answer)
    return answer.then((outcome) => close(inTime(outcome))).catch(fail)
  } catch (error) {
    return fail(error)
  }
}

/** Whether the client decides when it makes the call again. For calls about runs and artifacts, their SDK does. */
function decidesWhen({ host, match }: RequestContext): boolean {
  return host !== 'control' && match.kind === 'found' && match.operation.tag !== PLATFORM_TAG
}

/** How strictly a pipeline reads requests. */
export interface InputRules {
  /** Query parameters and bodies that the row does not declare. */
  readonly undeclared: 'ignored' | 'refused'
  /** A query parameter that is given more than once. */
  readonly repeated: 'last counts' | 'refused'
  /** The content types that a JSON body may have. */
  readonly contentType: 'json' | 'any'
  /** A request without a body. */
  readonly noBody: 'missing' | 'same as {}'
}

/** Makes the stage that reads the body as JSON. */
export function readBody<C extends RequestContext>(rules: InputRules): Stage<C> {
  return (context, next) => {
    const { row } = context
    if (row.readsBody || (!row.body && rules.undeclared === 'ignored')) return next(context)
    const json = jsonIn(context.request, rules, frameworkOf(context))
    if (json instanceof ApiError) return encode(json, context.host)
    if (json instanceof Refusal) return refuse(json, context)
    context.json = json
    return next(context)
  }
}

/** Asks for an API key. */
export function askForKey<C extends RequestContext>(context: C, next: Next<C>): Answer {
  const { request, engine, host, row, entry } = context
  const account = authenticate(request.headers.authorization, engine.scenario.auth, row)
  if (account instanceof ApiError) {
    entry.hint = keyHint(request, row)
    return encode(account, host)
  }
  context.account = account
  return next(context)
}

/** Delays, changes or replaces the answer, as the scenario says. */
export function applyFaults<C extends RequestContext>(context: C, next: Next<C>): Answer {
  const { engine, entry } = context
  const isChat = context.row.tag === CHAT_TAG
  const loading = isChat && engine.faults.askForJudge ? engine.chat.judge.prepare() : undefined
  if (loading) return loading.then(() => applyFaults(context, next))
  const plan = engine.faults.plan(() => faultRequestOf(context, hostOf(context)))
  if (!plan) return next(context)
  entry.effects.push(...plan.hits.map(hitText))
  entry.faults = plan.hits
  context.pageFaults = plan.pages
  const host = hostOf(context)
  const { tag } = context.row
  const answer = (): Answer => {
    return answerFaulty({ host, engine, plan, tag, work: () => next(context) })
  }
  // The journal says whether a chat that fails asked a judge.
  const toRecord = isChat ? engine.chat.judge.prepare() : undefined
  return toRecord ? toRecord.then(answer) : answer()
}

/** Makes the stage that checks path, query and body against the schemas of the row. */
export function validate<C extends RequestContext>(rules: InputRules): Stage<C> {
  const { undeclared, repeated, noBody } = rules
  const refuses = undeclared === 'refused'
  return (context, next) => {
    const { request, json, row } = context
    const query = row.query ?? (refuses ? NO_QUERY_TAKEN : undefined)
    const body = row.body ?? (refuses && !row.readsBody ? NO_BODY_TAKEN : undefined)
    const sentBody = noBody === 'same as {}' ? (json.value ?? {}) : json.value
    const checked = [
      row.params?.validate(context.pathParameters),
      query?.validate(lastOfEach(request.query)),
      body &&
        validateBody(body, sentBody, {
          messageArrays: messageArraysOf(context),
          exact: sentBody === json.value ? json.exact : undefined,
        }),
    ]
    const repetitions = repeated === 'refused' ? repeatedIn(request.query) : NO_NAMES
    const problems = checked.flatMap((part) => (part === undefined || part.ok ? [] : part.problems))
    if (repetitions.length > 0 || problems.length > 0) {
      const reported = problemsIn(frameworkOf(context), problems, json.value)
      return refuse(new Refusal([...repetitions.map(repetition), ...reported]), context)
    }
    const values = checked.map((part) => (part?.ok ? part.value : undefined))
    context.params = values[0]
    context.query = values[1]
    context.body = values[2]
    return next(context)
  }
}

/** Runs the row and encodes its result. */
export function run(context: RequestContext): Answer {
  const { host, row } = context
  const result = (row.run as (call: RequestContext) => Result | Promise<Result>)(context)
  return result instanceof Promise
    ? result.then((settled) => encode(settled, host))
    : encode(result, host)
}

/** Encodes a refusal. The journal explains one that the framework cannot print. */
function refuse(refusal: Refusal, { host, entry }: RequestContext): Outcome {
  const outcome = encode(refusal, host)
  const isUnprintable = outcome.kind === 'response' && outcome.status === 500
  // The control API answers in words.
  const words = host === 'control' ? undefined : inputHint(refusal.problems)
  const hint = isUnprintable ? UNPRINTABLE_HINT : words
  if (hint !== undefined) entry.hint = hint
  return outcome
}

const UNPRINTABLE_HINT =
  'the service refuses the body, and fails while it prints why; send finite numbers and whole characters'

/** The release of the framework that the training API behaves like. */
function frameworkOf({ host, engine }: RequestContext): FrameworkVersion {
  return host === 'training' ? engine.scenario.framework : DEFAULT_FRAMEWORK
}

/** How the scenario reads messages. The control API has none. */
function messageArraysOf({ host, engine }: RequestContext): MessageArrays | undefined {
  return host === 'control' ? undefined : engine.scenario.message_arrays
}

/** The query and the body of rows that declare none and refuse undeclared input. */
const NO_QUERY_TAKEN = parameters('query', {}, { extra: 'forbid' })
const NO_BODY_TAKEN = model('NoBody', {}, { extra: 'forbid' })
const NO_NAMES: readonly string[] = []

/** Says which model a refused chat asked, and whether that is a judge. An error that names it says enough. */
function recordModel({ engine, entry, match, json: { value } }: RequestContext): void {
  const { status = 0, lost, detail = '' } = entry
  const isChat = match.kind === 'found' && match.operation.tag === CHAT_TAG
  if (!isChat || (status < 400 && lost === undefined)) return
  const { model: name } = Object(value) as { model?: unknown }
  if (typeof name !== 'string' || detail.includes(name)) return
  const role = asksJudge(engine, value) ? ', a judge' : ''
  entry.effects.unshift(`asked ${shortened(name, LONGEST_NAME)}${role}`)
}

const LONGEST_NAME = 80

/** Writes the outcome of a request into its journal entry. */
function recordOutcome(outcome: Outcome, { entry }: RequestContext): void {
  if (outcome.kind === 'disconnect' || outcome.kind === 'hang') entry.lost = outcome.kind
  else entry.status = outcome.status
  if (outcome.kind === 'stream' && outcome.leave) entry.lost = 'hang'
  if (outcome.kind === 'stream' && outcome.broken) entry.lost = 'disconnect'
  if (outcome.kind !== 'response' || outcome.status < 400) return
  entry.detail = outcome.reason ?? detailOf(outcome.body)
}

function jsonIn(
  { body, headers }: ApiRequest,
  { contentType }: InputRules,
  framework: FrameworkVersion,
): ReceivedJson | ApiError | Refusal {
  if (body === 'too-large') return apiErrors.bodyTooLarge(BODY_LIMIT)
  const isAny = contentType === 'any'
  const read = readJsonBody(
    body,
    isAny ? undefined : contentTypeIn(framework, headers['content-type']),
  )
  if (read.kind === 'value') return read
  if (read.kind === 'absent') return NO_BODY
  if (isAny) return new ApiError(400, 'The body is not JSON.')
  return read.kind === 'problem' ? new Refusal([read.problem]) : apiErrors.unreadableBody()
}

function hostOf({ host }: RequestContext): Host {
  if (host === 'control') throw new Error('The control API has no faults.')
  return host
}

function repetition(name: string): Problem {
  const msg = 'given more than once; pass it once'
  return { type: 'repeated', loc: ['query', name], msg, input: null }
}
