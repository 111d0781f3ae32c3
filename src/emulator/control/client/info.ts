import type { Info } from '../schemas/info.js'
import type { Call } from './call.js'

/** The methods of a client about the emulator itself. */
export const infoMethods = (call: Call) => ({
  /** Resolves when the emulator listens and its scenario's records exist. */
  async ready(): Promise<void> {
    await call('GET /ready')
  },
  /** Returns version, seed, scenario and addresses. */
  info: (): Promise<Info> => call('GET /info'),
})
