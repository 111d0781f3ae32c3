import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import type { ApiRequest, Outcome } from '../../service/contract/exchange.js'
import { isForHeader } from '../../base/text/header-value.js'
import { callOf } from '../../emulator/control/client/http-call.js'
import type { Emulator } from '../../emulator/emulator.js'
import type { McpEndpoint } from '../../emulator/emulator-parts.js'
import { createServer } from './server.js'
import { tools } from './tools.js'
import type { DocsReader } from './tool.js'

/** By emulator: each world has its own. */
const handlers = new WeakMap<Emulator, McpHttpHandler>()

/** Returns what answers MCP clients over HTTP and in process. It keeps nothing between two requests. */
export function mcpEndpoint(docs: DocsReader): McpEndpoint<Emulator> {
  return {
    async answer(emulator, request) {
      const { body } = request
      if (body === 'too-large') return tooLarge()
      const { fetch } = handlerOf(emulator, docs)
      return outcomeOf(await fetch(requestOf({ ...request, body })), isByHand(request))
    },
  }
}

/** Whether a person or a script sent it, for example with curl. MCP clients accept streams, and say so. */
function isByHand({ headers }: ApiRequest): boolean {
  const { accept = '', 'mcp-protocol-version': protocol } = headers
  return protocol === undefined && !accept.includes(STREAM)
}

const STREAM = 'text/event-stream'

function handlerOf(emulator: Emulator, docs: DocsReader): McpHttpHandler {
  const known = handlers.get(emulator)
  if (known) return known
  const create = (): ReturnType<typeof createServer> => {
    // The caller has passed the gate. The tools call the same world. Its token may change when it listens.
    const { fetch, controlToken: token } = emulator
    return createServer(tools, { call: callOf({ url: IN_PROCESS, fetch, token }), docs })
  }
  const handler = createMcpHandler(create, { maxRequestBodySize: LARGEST })
  handlers.set(emulator, handler)
  emulator.onClose(async () => {
    handlers.delete(emulator)
    await handler.close()
  })
  return handler
}

/** An emulator has this address in process, whether it listens or not. */
const IN_PROCESS = 'http://training.svtrain.test'

function requestOf(request: ApiRequest & { body: Uint8Array }): Request {
  const { method, path, headers, body } = request
  const sent = Object.entries(headers).filter(
    ([, value]) => value !== undefined && isForHeader(value),
  )
  // The gate has checked the host and the world. In process, they may be texts that no request can have.
  return new Request(IN_PROCESS + path, {
    method,
    headers: {
      ...(Object.fromEntries(sent) as Record<string, string>),
      // As in the other calls of the control API, the type does not matter.
      'content-type': 'application/json',
      ...(isByHand(request) && { accept: `application/json, ${STREAM}` }),
    },
    body: body as Uint8Array<ArrayBuffer>,
  })
}

/** The most bytes of a message. */
const LARGEST = 4 * 1024 * 1024

/** Refuses a message as the server does, which never sees one that is so large that the port dropped it. */
function tooLarge(): Outcome {
  const message = `Payload Too Large: Request body must not exceed ${LARGEST} bytes`
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null })
  return { kind: 'response', status: 413, headers: { 'content-type': 'application/json' }, body }
}

/** The answer of the server. A person gets JSON, also if the server writes a stream of one event. */
async function outcomeOf(response: Response, byHand: boolean): Promise<Outcome> {
  const { status, body } = response
  const headers = Object.fromEntries(response.headers)
  if (!body || !headers['content-type']?.startsWith(STREAM)) {
    return { kind: 'response', status, headers, body: await response.text() }
  }
  if (byHand) {
    const events = Array.from(
      (await response.text()).matchAll(/^data: (.+)$/gm),
      ([, data]) => data!,
    )
    const json = events.length === 1 ? events[0]! : `[${events.join(',')}]`
    return { kind: 'response', status, headers: { 'content-type': 'application/json' }, body: json }
  }
  const reader = body.getReader()
  const leave = (): void => void reader.cancel().catch(() => {})
  return { kind: 'stream', status, headers, chunks: textsOf(reader), leave }
}

async function* textsOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield decoder.decode(value, { stream: true })
  }
}
