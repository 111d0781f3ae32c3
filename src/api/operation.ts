import type { ApiError } from '../contract/errors.js'
import type { Api, ApiRequest } from '../contract/exchange.js'
import type { Parameters } from '../contract/pydantic/parameters.js'
import type { Schema } from '../contract/pydantic/schema.js'
import type { Account } from '../scenario/account.js'
import type { Engine } from '../engine/engine.js'
import type { PageFault } from '../engine/faults/fault-plan.js'
import type { RequestEntry } from '../engine/journal.js'
import type { OpenTrainingData } from '../engine/jobs/training-data.js'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * One row of the API: all that its readers (router, pipeline, OpenAPI document, start-up listing,
 * README test) need to know of an operation.
 */
export interface Operation<Path = unknown, Query = unknown, Body = unknown> {
  /** Ours: how journal, scenarios and tests name it. */
  readonly id: string
  readonly host: Api
  readonly method: Method
  /** From the root, `{name}` for a parameter. */
  readonly path: string
  /** The function's name in the real service, from which its documented operation id is made. */
  readonly name: string
  readonly tag: string
  readonly summary: string
  /** `open` asks for no key; the named ones ask unless the scenario's `auth.open` lists them. */
  readonly auth: 'bearer' | 'open' | 'health' | 'system-check' | 'control-token'
  readonly params?: Parameters<Path>
  readonly query?: Parameters<Query>
  readonly body?: Schema<Body>
  readonly response: Schema<unknown>
  /** Statuses that only this operation answers with, beside those of all that are like it. */
  readonly refusals?: readonly number[]
  /** Left out of the served OpenAPI document, as the framework leaves out that document itself. */
  readonly unlisted?: boolean
  readonly run: (call: Call<Path, Query, Body>) => Result | Promise<Result>
}

/** What an operation is given: the request, read and checked, and the world it is about. */
export interface Call<Path, Query, Body> {
  readonly engine: Engine
  readonly account: Account
  readonly params: Path
  readonly query: Query
  readonly body: Body
  readonly request: ApiRequest
  readonly entry: RequestEntry
  readonly openTrainingData: OpenTrainingData
  /** What goes wrong with a page, where the scenario says so. */
  readonly pageFaults: readonly PageFault[]
  /** The whole table, for the row that describes it. */
  readonly operations: readonly Operation[]
}

/** A JSON value (answered with 200), a refusal, or something that is more than a JSON value. */
export type Result = ApiError | Reply | LooseReply | TextReply | EventStream | JsonValue

// Interfaces of the contract have no index signature, so JSON is taken on trust: `object`.
type JsonValue = object | string | number | boolean | null

/** A JSON answer with a status and headers of its own; an empty one where `body` is undefined. */
export class Reply {
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** An answer whose `LooseNumber`s are written as the scenario asks, so that it is not JSON. */
export class LooseReply {
  readonly body: object
  constructor(body: object) {
    this.body = body
  }
}

/** A plain text. */
export class TextReply {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** An answer of server-sent events. */
export class EventStream {
  readonly chunks: AsyncIterable<string> | Iterable<string>
  constructor(chunks: AsyncIterable<string> | Iterable<string>) {
    this.chunks = chunks
  }
}

/** No answer: the world ended before it could leave. */
export const BROKEN_OFF: object = {}

/** Writes a row: `run` sees the types of the row's own schemas. */
export function operation<Path, Query, Body>(row: Operation<Path, Query, Body>): Operation {
  return row as unknown as Operation
}
