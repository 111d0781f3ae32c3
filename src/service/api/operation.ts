import type { Api, ApiRequest } from '../contract/exchange.js'
import type { Parameters } from '../contract/pydantic/parameters.js'
import type { Schema } from '../contract/pydantic/schema.js'
import type { Account } from '../scenario/account.js'
import type { Engine } from '../engine/engine.js'
import type { PageFault } from '../engine/faults/fault-plan.js'
import type { FailedJob } from '../scenario/faults/definition.js'
import type { RequestEntry } from '../engine/journal.js'
import type { OpenTrainingData } from '../engine/jobs/training-data.js'
import type { ContentAddresses } from './platform/content-addresses.js'
import type { JsonValue, OnlyDeclared, Result, ResultOf } from './result.js'

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
 * One operation of the emulated API or of the control API: a row of its table. The router, the pipeline, the OpenAPI
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
   * `open` needs no key. `platform` takes a key as a password, too. `health` and `system-check` need one unless the
   * scenario's `auth.open` lists them. `control-token` needs the control token, if there is one.
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
   * Set if the row itself reads the body: as bytes, or as JSON that may be compressed and has errors of its own.
   *
   * @internal
   */
  readonly readsBody?: 'bytes' | 'compressed-json'
  /**
   * Names a call more exactly, from such JSON. Faults and the journal then have that name after the id of the
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
