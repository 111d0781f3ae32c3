import type { ServerResponse } from 'node:http'
import { nextTurn } from '../../base/clock/wall.js'
import { failingWith, type BackgroundErrors } from '../../base/text/background-errors.js'
import type { Outcome } from '../../service/contract/exchange.js'
import { batchChunks } from './batch-chunks.js'
import type { Write } from './coalesce-writes.js'

/** The answer to a call whose handler failed. */
export const INTERNAL_ERROR: Outcome = {
  kind: 'response',
  status: 500,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'Internal Server Error',
}

/**
 * Returns a function that writes like `write`, also an outcome that cannot be written, for example because of an
 * invalid header. The client gets a 500 instead.
 */
export function safeWrite(background: BackgroundErrors | undefined): Write {
  return (response, outcome) => {
    try {
      write(response, outcome)
    } catch (error) {
      const { method, url = '' } = response.req
      background?.report(`write the answer to ${method} ${url.split('?', 1)[0]}`, error)
      if (response.headersSent) response.destroy()
      else write(response, INTERNAL_ERROR)
    }
  }
}

/** Writes an outcome to a response. */
export function write(response: ServerResponse, outcome: Outcome): void {
  // Middleware may answer and call `next` as well. The first answer counts.
  if (response.headersSent) return
  if (outcome.kind === 'stream') {
    const { leave } = outcome
    if (leave) response.once('close', failingWith(ignored, leave))
    response.writeHead(outcome.status, outcome.headers)
    return void writeStream(response, outcome)
  }
  if (outcome.kind === 'disconnect') return void response.destroy()
  if (outcome.kind === 'hang') return hang(response, outcome)
  const { status, headers, body } = outcome
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers })
  response.end(body)
}

/** The client is gone. */
function ignored(): void {}

function hang(response: ServerResponse, { until, leave }: Outcome & { kind: 'hang' }): void {
  void until.then(() => response.destroy())
  // The client may have disconnected already.
  if (response.closed) leave()
  else response.once('close', failingWith(ignored, leave))
}

async function writeStream(
  response: ServerResponse,
  { chunks, leave }: Outcome & { kind: 'stream' },
): Promise<void> {
  try {
    // The client may have disconnected already.
    if (response.closed) leave?.()
    for await (const chunk of batchChunks(chunks)) {
      if (response.destroyed) return
      if (!response.write(chunk)) await drained(response)
    }
    response.end()
  } catch {
    // The journal says why. An answer that broke off must not look complete. Its head and the chunks before that
    // still arrive: Node writes them when this turn ends.
    response.flushHeaders()
    await nextTurn()
    response.socket?.destroySoon()
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go)
      response.off('close', go)
      resolve()
    }
    response.on('drain', go).on('close', go)
  })
}
