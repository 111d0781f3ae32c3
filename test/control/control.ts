import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/index.js'
import { onTestFinished } from 'vitest'

export interface Said {
  status: number
  // Tests know what they asked for.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

export type Call = (line: string, body?: unknown) => Promise<Said>

/** Calls the control API by `send`: `call('POST /clock/advance', { by: '10m' })`. */
export function caller(emulator: Emulator, send: typeof fetch): Call {
  return async (line, body) => {
    const [method, path] = line.split(' ') as [string, string]
    const url = new URL(`/_emulator${path}`, emulator.trainingUrl)
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await send(url, { method, ...(body !== undefined && { body: text }) })
    return { status: response.status, body: await response.json() }
  }
}

/** An emulator in process, and its control API. */
export function controlled(options: EmulatorOptions = {}): { emulator: Emulator; call: Call } {
  const emulator = createEmulator({ clock: 'manual', ...options })
  onTestFinished(() => emulator.close())
  return { emulator, call: caller(emulator, emulator.fetch) }
}
