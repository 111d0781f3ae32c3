import { env } from 'node:process'
import {
  ControlError,
  createClient,
  UnreachableError,
  type Client,
  type ClientOptions,
} from '../../compose/create-client.js'
import type { Call } from '../../emulator/control/client/call.js'
import { callOf } from '../../emulator/control/client/http-call.js'
import { readVariable } from '../environment.js'
import type { ValuesOf } from '../options/declare.js'
import { RUNNING_VARIABLES, type runningOptions } from '../options/running.js'
import { DEFAULT_URL } from '../options/serve.js'
import { printable, type Terminal } from '../terminal.js'
import { token, webUrl } from '../values.js'

type RunningArguments = Partial<ValuesOf<typeof runningOptions>>

/** Returns the URL of the running emulator. */
export function runningUrl(running: { emulator?: string | undefined }): string {
  return addressOf(running).url
}

/**
 * Returns the URL of the running emulator, and the variable that it comes from. `exec` sets both variables.
 *
 * @throws {UsageError} When the variable is not a URL.
 */
function addressOf({ emulator }: { emulator?: string | undefined }): Address {
  if (emulator !== undefined) return { url: emulator }
  for (const variable of RUNNING_VARIABLES) {
    const url = readVariable(env, variable, webUrl)
    if (url !== undefined) return { url, variable }
  }
  return { url: DEFAULT_URL }
}

interface Address {
  readonly url: string
  readonly variable?: string
}

/** Returns a client of the running emulator. The token may be in the environment. */
export function runningClient(running: RunningArguments): Client {
  return createClient(optionsOf(running))
}

/** Returns a function that calls the control API of the running emulator, for what a client returns only a part of. */
export function runningCall(running: RunningArguments): Call {
  return callOf(optionsOf(running))
}

function optionsOf(running: RunningArguments): ClientOptions {
  return {
    url: runningUrl(running),
    token: running['control-token'] ?? readVariable(env, 'SVTRAIN_CONTROL_TOKEN', token),
    world: running.world,
  }
}

/**
 * Calls `work` with a client of the running emulator, and returns its exit code. If the emulator refuses a
 * call or cannot be reached, it prints the reason and returns 1.
 */
export async function withRunning(
  running: RunningArguments,
  { writeError }: Terminal,
  work: (client: Client) => Promise<number>,
): Promise<number> {
  const client = runningClient(running)
  try {
    return await work(client)
  } catch (error) {
    if (!(error instanceof ControlError || error instanceof UnreachableError)) throw error
    writeError(printable(error.message) + hintFor(error, running))
    if (error instanceof ControlError && error.status === 401) {
      writeError(
        'The emulator prints its control token at start. Pass it with --control-token or SVTRAIN_CONTROL_TOKEN.',
      )
    }
    return 1
  }
}

/** Says where an address comes from that leads to no emulator, if the command does not name it. */
function hintFor(error: Error, running: RunningArguments): string {
  if (!(error instanceof UnreachableError)) return ''
  const { url, variable } = addressOf(running)
  if (variable !== undefined) {
    return ` The address comes from ${variable}. To use another: --emulator <URL>`
  }
  return url === DEFAULT_URL
    ? ' If one runs on another port, name its address: --emulator <URL>'
    : ''
}
