import type { ApiRequest } from '../../service/contract/exchange.js'
import type { Parameters } from '../../service/contract/pydantic/parameters.js'
import type { Schema } from '../../service/contract/pydantic/schema.js'
import type { Engine } from '../../service/engine/engine.js'
import type { Method, Operation } from '../../service/api/operation.js'
import type { OnlyDeclared, Result, ResultOf } from '../../service/api/result.js'
import type { Emulator } from '../emulator.js'
import type { Accepts } from './schemas/body-and-query.js'

/** The argument of `run` in a row of the control API. */
export interface ControlCall<Path = unknown, Query = unknown, Body = unknown> {
  readonly emulator: Emulator
  /** The engine at the time of the call. A reset replaces it. */
  readonly engine: Engine
  readonly params: Path
  readonly query: Query
  readonly body: Body
  readonly request: ApiRequest
  /** The whole table, for the row that describes it. */
  readonly operations: readonly Operation[]
}

/** A row of the control API. Its type keeps what typed clients need: names, path and schemas. */
export interface ControlOperation<
  Id extends string = string,
  Verb extends Method = Method,
  Path extends string = string,
  Params = unknown,
  Query = unknown,
  Body = unknown,
  Answer = unknown,
  SentQuery = unknown,
  SentBody = unknown,
> extends Operation {
  readonly id: Id
  readonly method: Verb
  readonly path: Path
  readonly params?: Parameters<Params>
  readonly query?: Parameters<Query> & Accepts<SentQuery>
  readonly body?: Schema<Body> & Accepts<SentBody>
  readonly response: Schema<Answer>
}

/**
 * What `run` may return for an answer of this type. It may share lists with the records of the emulator, which nobody
 * changes, and JSON has no field whose value is undefined. Types may contain themselves, so the depth has a limit.
 */
type RowAnswer<T, Depth extends readonly unknown[] = []> = Depth['length'] extends 5
  ? T
  : T extends object
    ? {
        readonly [Key in keyof T]:
          | RowAnswer<T[Key], [...Depth, Key]>
          | (object extends Pick<T, Key> ? undefined : never)
      }
    : T

/** What is the same for all rows. */
type Common = 'host' | 'auth' | 'name' | 'tag' | 'run'

/**
 * Makes a row of the control API.
 *
 * @param row `auth` is by default `open` for a row that only reads, else `control-token`.
 */
export function control<
  const Id extends string,
  const Verb extends Method,
  const Path extends string,
  Params,
  Query,
  Body,
  Answer,
  SentQuery,
  SentBody,
  Given extends ResultOf<RowAnswer<Answer>> & Result,
>(
  row: Omit<
    ControlOperation<Id, Verb, Path, Params, Query, Body, Answer, SentQuery, SentBody>,
    Common
  > & {
    readonly auth?: 'control-token'
    readonly run: (call: ControlCall<Params, Query, Body>) => Given | Promise<Given>
  } & OnlyDeclared<Given, Answer>,
): ControlOperation<Id, Verb, Path, Params, Query, Body, Answer, SentQuery, SentBody> {
  return {
    host: 'control',
    auth: row.method === 'GET' ? 'open' : 'control-token',
    name: row.id,
    tag: 'control',
    ...row,
  }
}
