import { env } from 'node:process'
import {
  ControlError,
  createClient,
  UnreachableError,
  type Client,
} from '../../control/client/client.js'
import { DEFAULT_PORT } from '../options.js'
import { printable, type Terminal } from '../terminal.js'
import { readValue, token, webUrl, type Value } from '../values.js'

const DEFAULT_URL = `http://127.0.0.1:${DEFAULT_PORT}`

export interface RunningArguments {
  url: string | undefined
  token: string | undefined
  world: string | undefined
}

/** Where it is found. Raises `UsageError`. */
export function runningUrl({ url }: { url?: string | undefined }): string {
  return url ?? fromEnvironment('SVTRAIN_CONTROL_URL', webUrl) ?? DEFAULT_URL
}

/** An empty variable says nothing. */
function fromEnvironment(named: string, value: Value<string>): string | undefined {
  const { [named]: text = '' } = env
  return text === '' ? undefined : readValue(named, value, text)
}

/**
 * Does something with an emulator that runs, and gives the exit code; where it refuses, or nobody is
 * there, that is said, and the code is 1.
 */
export async function withRunning(
  running: Partial<RunningArguments>,
  { writeError }: Terminal,
  work: (client: Client) => Promise<number>,
): Promise<number> {
  const given = running.token ?? fromEnvironment('SVTRAIN_CONTROL_TOKEN', token)
  const client = createClient({ url: runningUrl(running), token: given, world: running.world })
  try {
    return await work(client)
  } catch (error) {
    if (!(error instanceof ControlError || error instanceof UnreachableError)) throw error
    writeError(printable(error.message))
    if (error instanceof ControlError && error.status === 401) {
      writeError('The emulator prints it when it starts: set SVTRAIN_CONTROL_TOKEN to it.')
    }
    return 1
  }
}
