import { createClient, type Client } from '../../../src/client.js'
import type { Emulator, EmulatorOptions } from '../../../src/index.js'
import type { ApiClient } from '../../support/api-client.js'
import type { Open } from '../../support/transports.js'
import { openEmulator } from '../open-emulator.js'

export interface Answer {
  status: number
  // Tests know what they asked for.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

export type Call = (line: string, body?: unknown) => Promise<Answer>

/**
 * Creates a function that calls the control API with `send`: `call('POST /clock/advance', { by:
 * '10m' })`.
 */
export function caller(emulator: Emulator, send: typeof fetch): Call {
  return async (line, body) => {
    const [method, path] = line.split(' ') as [string, string]
    const url = new URL(`/_emulator${path}`, emulator.trainingUrl)
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await send(url, { method, ...(body !== undefined && { body: text }) })
    const isPage = response.headers.get('content-type')?.startsWith('text/html')
    return { status: response.status, body: await (isPage ? response.text() : response.json()) }
  }
}

export interface Controlled {
  emulator: Emulator
  /** Calls the control API, and returns what it answers. */
  call: Call
  /** The typed client of the control API. */
  client: Client
}

/** The same over a transport, with a client of the emulated API. */
export async function controlledOver(
  open: Open,
  options: EmulatorOptions = {},
): Promise<Controlled & { api: ApiClient; fetch: typeof fetch }> {
  const { emulator, fetch, ...api } = await open(options)
  const client = createClient({ url: emulator.trainingUrl, fetch })
  return { emulator, call: caller(emulator, fetch), client, api, fetch }
}

/** An emulator in this process, with two ways to call its control API. Its clock is manual. */
export function controlled(options: EmulatorOptions = {}): Controlled {
  const emulator = openEmulator({ ...options })
  const client = createClient({ url: emulator.trainingUrl, fetch: emulator.fetch })
  return { emulator, call: caller(emulator, emulator.fetch), client }
}
