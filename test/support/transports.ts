import { describe, onTestFinished } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/index.js'
import { msw2, msw3, runsMsw3, type MswMajor } from './msw.js'

/** What a test sees of an emulator: the same over every transport. */
export interface Api {
  emulator: Emulator
  /** Calls the training host: `get('/preview/models/…')`. */
  get: (path: string, options?: CallOptions) => Promise<Answer>
  post: (path: string, body?: unknown, options?: CallOptions) => Promise<Answer>
  delete: (path: string, body?: unknown, options?: CallOptions) => Promise<Answer>
  /** The same on the inference host. */
  inference: Pick<Api, 'get' | 'post'>
  /** The bare fetch of that transport, for what the above cannot say. */
  fetch: typeof fetch
}

export interface CallOptions {
  headers?: Record<string, string | undefined>
}

export interface Answer {
  status: number
  headers: Headers
  // Tests know what they asked for.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

export type Open = (options?: EmulatorOptions) => Promise<Api>

/** Runs one body of tests over every transport. Time is in the test's hands unless it says otherwise. */
export function describeTransports(name: string, body: (open: Open) => void): void {
  for (const transport of Object.keys(transports) as Transport[]) {
    const runs = transport !== 'msw 3' || runsMsw3
    describe.skipIf(!runs)(`${name} (${transport}${runs ? '' : ', needs Node 22'})`, () => {
      body(async (options = {}) => {
        const emulator = createEmulator({ clock: 'manual', ...options })
        onTestFinished(() => emulator.close())
        return apiOf(emulator, await transports[transport](emulator))
      })
    })
  }
}

type Transport = keyof typeof transports

let stopMocking = (): void => {}

/** Two emulators have the same address in process; the later one has it. */
async function mock(emulator: Emulator, major: () => Promise<MswMajor>): Promise<typeof fetch> {
  const { handlers, setupServer } = await major()
  stopMocking()
  const server = setupServer(...handlers(emulator))
  server.listen()
  stopMocking = () => {
    stopMocking = () => {}
    server.close()
  }
  onTestFinished(() => stopMocking())
  return fetch
}

const transports = {
  direct: (emulator: Emulator) => Promise.resolve(emulator.fetch),
  port: async (emulator: Emulator) => {
    await emulator.listen()
    return fetch
  },
  express: async (emulator: Emulator) => {
    // A layer of the user's own sends every request through Express.
    await emulator.listen({ use: [(_request, _response, next) => next()] })
    return fetch
  },
  'msw 2': (emulator: Emulator) => mock(emulator, msw2),
  'msw 3': (emulator: Emulator) => mock(emulator, msw3),
} as const

function apiOf(emulator: Emulator, send: typeof fetch): Api {
  const caller = (base: () => string) => {
    const call = async (method: string, path: string, { body, options }: Sent): Promise<Answer> => {
      const headers: Record<string, string | undefined> = {
        authorization: `Bearer ${emulator.apiKey}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...options?.headers,
      }
      const response = await send(base() + path, {
        method,
        headers: Object.entries(headers).filter((entry): entry is [string, string] => {
          return entry[1] !== undefined
        }),
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type') === 'application/json'
      return {
        status: response.status,
        headers: response.headers,
        body: isJson ? JSON.parse(text) : text,
      }
    }
    return {
      get: (path: string, options?: CallOptions) => call('GET', path, { options }),
      post: (path: string, body?: unknown, options?: CallOptions) =>
        call('POST', path, { body, options }),
      delete: (path: string, body?: unknown, options?: CallOptions) =>
        call('DELETE', path, { body, options }),
    }
  }
  return {
    emulator,
    ...caller(() => emulator.trainingUrl),
    inference: caller(() => emulator.inferenceUrl),
    fetch: send,
  }
}

interface Sent {
  body?: unknown
  options?: CallOptions | undefined
}
