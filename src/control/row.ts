import type { ApiRequest } from '../contract/exchange.js'
import type { Engine } from '../engine/engine.js'
import type { Operation, Result } from '../api/operation.js'
import type { Emulator } from '../emulator/emulator.js'

/** What a row of the control API is given. */
export interface ControlCall<Path = unknown, Query = unknown, Body = unknown> {
  readonly emulator: Emulator
  /** The world when the call came. */
  readonly engine: Engine
  readonly params: Path
  readonly query: Query
  readonly body: Body
  readonly request: ApiRequest
  /** The whole table, for the row that describes it. */
  readonly operations: readonly Operation[]
}

type ControlRow<Path, Query, Body> = Omit<
  Operation<Path, Query, Body>,
  'host' | 'auth' | 'name' | 'tag' | 'run'
> & {
  /** Default: what only reads is open. */
  readonly auth?: 'control-token'
  readonly run: (call: ControlCall<Path, Query, Body>) => Result | Promise<Result>
}

/** A row of the control API. Who only reads is asked for no token, unless the row says so. */
export function control<Path, Query, Body>(row: ControlRow<Path, Query, Body>): Operation {
  return {
    host: 'control',
    auth: row.method === 'GET' ? 'open' : 'control-token',
    name: row.id,
    tag: 'control',
    ...row,
  } as unknown as Operation
}

/** Runs a row that `control` made. */
export function runControl(row: Operation, call: ControlCall): Result | Promise<Result> {
  const { run } = row as unknown as { run: (call: ControlCall) => Result | Promise<Result> }
  return run(call)
}
