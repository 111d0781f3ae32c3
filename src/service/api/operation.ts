import { ApiError } from '../contract/errors.js'
import type { Api, ApiRequest, Outcome } from '../contract/exchange.js'
import type { Parameters } from '../contract/pydantic/parameters.js'
import type { Schema } from '../contract/pydantic/schema.js'
import type { Account } from '../scenario/account.js'
import type { Engine } from '../engine/engine.js'
import type { PageFault } from '../engine/faults/fault-plan.js'
import type { FailedJob } from '../scenario/faults/definition.js'
import type { RequestEntry } from '../engine/journal.js'
import type { OpenTrainingData } from '../engine/jobs/training-data.js'
import type { ContentAddresses } from './platform/content-addresses.js'

/** The HTTP methods of the operations. */
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The content types of responses. */
type ContentType =
  | 'application/json'
  | 'application/octet-stream'
  | 'text/event-stream'
  | 'text/html'
  | 'text/plain'

/**
 * One operation of the emulated API or of the control API. The router, the pipeline, the OpenAPI
 * document and the reference pages read it.
 */
export interface Operation {
  /** The emulator's own name for it, which the journal, scenarios and tests use. */
  readonly id: string
  /** `training` or `inference`, or `control` for an operation of the control API. */
  readonly host: Api
  /** The HTTP method. */
  readonly method: Method
  /** The path from the root. `{name}` is a parameter. */
  readonly path: string
  /** The name of the function in the real service. The operation id in OpenAPI contains it. */
  readonly name: string
  /** The tag in the OpenAPI document. */
  readonly tag: string
  /** The summary in the OpenAPI document. */
  readonly summary: string
  /**
   * `open` needs no key. `platform` takes a key as a password, too. `health` and `system-check` need one unless the scenario's `auth.open` lists
   * them. `control-token` needs the control token, if there is one.
   */
  readonly auth: 'bearer' | 'open' | 'platform' | 'health' | 'system-check' | 'control-token'
  /**
   * The parameters of the path.
   *
   * @internal
   */
  readonly params?: Parameters<unknown>
  /**
   * The parameters of the query.
   *
   * @internal
   */
  readonly query?: Parameters<unknown>
  /**
   * The schema of the JSON body.
   *
   * @internal
   */
  readonly body?: Schema<unknown>
  /**
   * Whether the row itself reads the body.
   *
   * @internal
   */
  readonly readsBody?: boolean
  /**
   * Set if the body may be compressed. The row reads it as JSON itself.
   *
   * @internal
   */
  readonly mayBeCompressed?: true
  /**
   * Names a call more exactly, from its JSON body. Faults and the journal then have that name after the id of the
   * row, with a dot between them.
   *
   * @internal
   */
  readonly nameCall?: (json: unknown) => string | undefined
  /**
   * The schema of a successful answer.
   *
   * @internal
   */
  readonly response: Schema<unknown>
  /** The content types of a response. The first is the default. Default: JSON. */
  readonly contentTypes?: readonly [ContentType, ...ContentType[]]
  /** Error statuses of this operation besides the usual ones. */
  readonly refusals?: readonly number[]
  /** Whether the OpenAPI document omits it. */
  readonly unlisted?: boolean
  /**
   * `never`: each pipeline passes the call that its own rows expect.
   *
   * @internal
   */
  readonly run: (call: never) => Result | Promise<Result>
}

/** A row of the emulated API. Its `run` sees the types of its own schemas, and answers as `response` says. */
export interface ApiRow<Path, Query, Body, Answer, Given extends Result> extends Operation {
  readonly params?: Parameters<Path>
  readonly query?: Parameters<Query>
  readonly body?: Schema<Body>
  readonly response: Schema<Answer>
  readonly run: (call: Call<Path, Query, Body>) => Given | Promise<Given>
}

/** The body of a request as JSON. Without `value` if there is no body. */
export interface ReceivedJson {
  readonly value?: unknown
  /** Reads the body without loss: see docs/explain/contract.md#exact-values. */
  readonly exact?: () => unknown
}

/** What a row of the emulated API gets: the request, read and checked, and the engine that answers it. */
export interface Call<Path, Query, Body> {
  readonly engine: Engine
  readonly account: Account
  readonly params: Path
  readonly query: Query
  readonly body: Body
  /** The body before it was checked. */
  readonly json: ReceivedJson
  readonly request: ApiRequest
  /** The address of the API as the client used it, with the base path. */
  readonly root: string
  /** The addresses of contents of the world that answers. */
  readonly contents: ContentAddresses
  readonly entry: RequestEntry
  readonly openTrainingData: OpenTrainingData
  /** The faults that change a page of a list. */
  readonly pageFaults: readonly PageFault[]
  /** Decides whether the job that the call creates fails. Call it once for each job. */
  failJob(): FailedJob | undefined
  /** The whole table, for the row that describes it. */
  readonly operations: readonly Operation[]
}

/** A JSON value, which is answered with 200, a refusal, or another kind of answer. */
export type Result = OtherResult | JsonValue

// Interfaces of the contract have no index signature, so any object counts as JSON.
export type JsonValue = object | string | number | boolean | null

/** A result that is not a JSON value to answer with 200. */
type OtherResult<Answer = unknown> =
  | ApiError
  | Reply<Answer>
  | WrittenReply
  | TextReply
  | EventStream
  | RawReply
  | NoAnswer

/** The result of a row whose `response` has this type. */
export type ResultOf<Answer> = OtherResult<Answer> | Answer

/** Makes a row an error if `run` returns fields that `response` does not have. */
export type OnlyDeclared<Given, Answer> = [UndeclaredFields<AnswerBody<Given>, Answer>] extends [
  never,
]
  ? unknown
  : { readonly run: { readonly undeclared: UndeclaredFields<AnswerBody<Given>, Answer> } }

/** The JSON in a result. */
type AnswerBody<Given> = Given extends Reply<infer Body> ? Body : Exclude<Given, OtherResult>

/**
 * The names of fields that an answer has and its schema does not. TypeScript itself allows them in what `run` returns.
 * An answer of the type of its schema is not searched, because such a type may contain itself.
 */
type UndeclaredFields<Given, Answer> = [Answer] extends [Given]
  ? never
  : unknown extends Answer
    ? never
    : Given extends readonly (infer Item)[]
      ? UndeclaredFields<Item, Extract<Answer, readonly unknown[]>[number]>
      : Given extends object
        ? {
            [Key in keyof Given]-?: Key extends KeyOf<Answer>
              ? UndeclaredFields<Given[Key], FieldOf<Answer, Key>>
              : Key
          }[keyof Given]
        : never

/** The keys of all objects of a union. */
type KeyOf<Union> = Union extends object ? keyof Union : never

/** The values that a key has in the objects of a union. */
type FieldOf<Union, Key> = Union extends object
  ? Key extends keyof Union
    ? Union[Key]
    : never
  : never

/** A JSON answer with its own status and headers. Without `body`, the answer is empty. */
export class Reply<out Answer = unknown> {
  readonly status: number
  readonly body: Answer
  readonly headers: Readonly<Record<string, string>>
  constructor(status: number, body: Answer, headers: Readonly<Record<string, string>> = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/**
 * A JSON answer that is written already: lists of events, which is faster, and numbers that `JSON.stringify` cannot
 * write. These are a bigint that a client sent, and NaN or Infinity if a scenario says so.
 */
export class WrittenReply {
  readonly json: string
  constructor(json: string) {
    this.json = json
  }
}

/** A text answer. Without a content type among `headers`, it is plain text. */
export class TextReply {
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
  constructor(text: string, headers: Readonly<Record<string, string>> = {}) {
    this.text = text
    this.headers = headers
  }
}

/** An answer of server-sent events. */
export class EventStream {
  readonly chunks: AsyncIterable<string> | Iterable<string>
  constructor(chunks: AsyncIterable<string> | Iterable<string>) {
    this.chunks = chunks
  }
}

/** An answer that is not encoded: a server of another protocol wrote it. */
export class RawReply {
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    this.outcome = outcome
  }
}

/** No answer, because the world ended before. */
export class NoAnswer {
  readonly reason = 'the world ended'
}

/** Whether a result is a JSON value, which is answered with 200. */
export function isJsonAnswer(result: Result): boolean {
  return !OTHER_RESULTS.some((kind) => result instanceof kind)
}

const OTHER_RESULTS = [ApiError, Reply, WrittenReply, TextReply, EventStream, RawReply, NoAnswer]

/** Makes a row of the emulated API. */
export function operation<
  Path,
  Query,
  Body,
  Answer extends JsonValue,
  Given extends ResultOf<Answer>,
>(row: ApiRow<Path, Query, Body, Answer, Given> & OnlyDeclared<Given, Answer>): Operation {
  return row
}
