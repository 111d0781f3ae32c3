import { describe, onTestFinished } from 'vitest'
import type { Emulator, EmulatorOptions } from '../../src/index.js'
import { apiClient, type ApiClient } from './api-client.js'
import { createSavedEmulator } from './saved-emulator.js'
import { msw2, msw3, runsMsw3, type MswMajor } from './msw.js'

/** An emulator as a test sees it, the same over every transport. */
export interface Api extends ApiClient {
  emulator: Emulator
  /** The `fetch` of the transport, for calls that the client cannot make. */
  fetch: typeof fetch
}

export type Open = (options?: EmulatorOptions) => Promise<Api>

/** Runs the same tests over every transport, or over the only one that `SVTRAIN_TRANSPORT` names. The clock is manual by default. */
export function describeTransports(name: string, body: (open: Open) => void): void {
  const only = process.env['SVTRAIN_TRANSPORT']
  for (const transport of Object.keys(transports) as Transport[]) {
    if (only !== undefined && transport !== only) continue
    const runs = transport !== 'msw 3' || runsMsw3
    describe.skipIf(!runs)(`${name} (${transport}${runs ? '' : ', needs Node 22'})`, () => {
      body(openedBy(transport))
    })
  }
}

/**
 * Runs tests in process only, because they are about what the engine answers, and the transports pass on every answer
 * alike. What a transport could change is for `describeTransports`: statuses, headers, streams, pauses, broken answers.
 */
export function describeInProcess(name: string, body: (open: Open) => void): void {
  describe(`${name} (direct)`, () => {
    body(openedBy('direct'))
  })
}

function openedBy(transport: Transport): Open {
  return async (options = {}) => {
    const emulator = createSavedEmulator({ clock: 'manual', ...options })
    const send = await transports[transport](emulator)
    return { emulator, ...apiClient(emulator, send), fetch: send }
  }
}

type Transport = keyof typeof transports

let stopMocking = (): void => {}

/** Two emulators have the same address in process, so mocking the second ends mocking the first. */
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
  'msw 2': (emulator: Emulator) => mock(emulator, msw2),
  'msw 3': (emulator: Emulator) => mock(emulator, msw3),
} as const
