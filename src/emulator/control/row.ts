import type { ApiRequest } from '../../service/contract/exchange.js'
import type { Parameters } from '../../service/contract/pydantic/parameters.js'
import type { Schema } from '../../service/contract/pydantic/schema.js'
import type { Engine } from '../../service/engine/engine.js'
import type {
  InputRules,
  Method,
  Operation,
  Result,
  StageName,
} from '../../service/api/operation.js'
import type { Emulator } from '../emulator.js'
import type { Accepts } from './schemas.js'

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

/** The stages of a row of the control API. It needs no API key, meets no fault and is not recorded. */
export const controlStages: readonly StageName[] = [
  'access',
  'token',
  'errors',
  'world',
  'ready',
  'clock',
  'body',
  'validate',
  'run',
]

/**
 * Refuses everything that a row does not declare, so that no typo is ignored. A body may have any content
 * type, so that `curl -d '{"by": "10m"}'` works. The stage `access` refuses pages of other origins.
 */
const strictInput: InputRules = {
  undeclared: 'refused',
  repeated: 'refused',
  contentType: 'any',
  noBody: 'same as {}',
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

/** What is the same for all rows. */
type Common = 'host' | 'auth' | 'name' | 'tag' | 'stages' | 'input' | 'run'

/**
 * Makes a row of the control API.
 *
 * @param row `auth` is by default `open` for a row that only reads, else `control-token`. `input` is by default
 * strict.
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
>(
  row: Omit<
    ControlOperation<Id, Verb, Path, Params, Query, Body, Answer, SentQuery, SentBody>,
    Common
  > & {
    readonly auth?: 'control-token'
    readonly input?: InputRules
    readonly run: (call: ControlCall<Params, Query, Body>) => Result | Promise<Result>
  },
): ControlOperation<Id, Verb, Path, Params, Query, Body, Answer, SentQuery, SentBody> {
  return {
    host: 'control',
    auth: row.method === 'GET' ? 'open' : 'control-token',
    name: row.id,
    tag: 'control',
    stages: controlStages,
    input: strictInput,
    ...row,
  }
}
