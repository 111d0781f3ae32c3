import { isChatOperation } from '../../service/contract/operation-names.js'
import { operations } from '../../service/api/table.js'
import { Router } from '../../service/api/route.js'
import type { Host } from '../../service/contract/exchange.js'
import type { RecordedRequest, ResponseEnd, ResponseStart } from './recording.js'

/** A request of a recording, and what came back. Times are milliseconds since the first request. */
export interface Exchange {
  readonly id: number
  readonly host: Host
  readonly method: string
  /** Below the base URL. */
  readonly path: string
  /** The id of the operation. Undefined if the service has no such operation. */
  readonly operation: string | undefined
  /** The parameters in the path. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** The parsed body of the request. Undefined if it has none, or if it is not JSON. */
  readonly sent: unknown
  readonly sentAt: number
  /** When the response began. Undefined if it never did. */
  readonly answeredAt: number | undefined
  /** How long the client waited for an answer, or until it lost the connection. 0 if a clock skipped that time. */
  readonly waited: number
  readonly status: number | undefined
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The parsed body of the response, or what the events of a stream add up to. Undefined if it is not JSON. */
  readonly received: unknown
  /** What faults of this emulator changed about the answer, as far as it does not show it. */
  readonly changes: readonly Fields[]
  /**
   * `unfinished`: the recording ends before the exchange does; `failed`: an event of a stream says what failed, and
   * text and body are those of the event; `cut_off`: a stream is complete without its end.
   */
  readonly how: ResponseEnd['how'] | 'unfinished' | 'failed' | 'cut_off'
}

/** What a recording has of one exchange. */
export interface RecordedExchange {
  readonly request: RecordedRequest
  readonly response?: ResponseStart | undefined
  /** How long the client waited. Default: the time from the request to the response, or to the loss of the connection. */
  readonly waited?: number | undefined
  readonly changes?: readonly Fields[]
  /** The text of the response. */
  readonly text: string
  readonly end?: ResponseEnd | undefined
}

const routers: Readonly<Record<Host, Router>> = {
  training: new Router(operations.filter(({ host }) => host === 'training')),
  inference: new Router(operations.filter(({ host }) => host === 'inference')),
}

/** Returns which APIs have an operation with this path, below the base URL. Both have chats. */
export function hostsOf(method: string, path: string): Host[] {
  const hosts: readonly Host[] = ['training', 'inference']
  return hosts.filter((host) => operationAt({ host, method, path }) !== undefined)
}

/** The operation at a path, below the base URL. Undefined if the API has none there. */
export function operationAt({
  host,
  method,
  path,
}: Pick<Exchange, 'host' | 'method' | 'path'>): Pick<Exchange, 'operation' | 'params'> | undefined {
  const match = routers[host].match(method, `/v1${path}`)
  if (match.kind !== 'found') return undefined
  return { operation: match.operation.id, params: match.params }
}

/** Whether the service answered as it does if nothing goes wrong. */
export function isAccepted({ status, how }: Exchange): boolean {
  return how === 'complete' && status !== undefined && status < 400
}

/** Whether an operation is a chat. */
export function isChat({ operation }: Exchange): boolean {
  return isChatOperation(operation)
}

export type Fields = Readonly<Record<string, unknown>>

/** A part of a scenario, as it is written. */
export type ScenarioPart = Fields

/** A value as a record, to read its fields. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : []
}
