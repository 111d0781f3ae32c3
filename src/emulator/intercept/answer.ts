import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Outcome } from './called-hosts.js'
import type { Destination } from './outside.js'
import type { HostRoutes, Route } from '../adapters/routes.js'

/** A call to a host that is intercepted. */
export interface InterceptedCall extends Destination {
  /** The routes of the host. */
  readonly routes: HostRoutes
  /** The route that the path belongs to. Undefined: it belongs to none. */
  readonly route: Route | undefined
  /** The path and the query, as they were written. */
  readonly path: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Notes for the user why the call failed. */
  readonly failed: (why: string) => void
}

/** Answers a call, now or later. Returns at once how the call counts. Undefined: it only failed. */
export type Answer = (call: InterceptedCall) => Outcome | undefined

/** Answers with a text. */
export function writeText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(`${text}\n`)
}
