import { env } from 'node:process'
import {
  ControlError,
  createClient,
  UnreachableError,
  type Client,
} from '../../control/client/client.js'
import { DEFAULT_PORT, type Flag } from '../flags.js'
import { onlyOf } from '../given.js'
import { printable } from '../printable.js'
import type { Terminal } from '../terminal.js'
import { anyText, token, webUrl, type Value } from '../values.js'

const DEFAULT_URL = `http://127.0.0.1:${DEFAULT_PORT}`

/** By which a command finds an emulator that runs. */
export const runningFlags = {
  url: {
    describe: 'The emulator that runs: any URL of its training API',
    value: webUrl,
    defaultText: `SVTRAIN_CONTROL_URL, or ${DEFAULT_URL}`,
  },
  token: {
    describe: 'What it asks of calls that change something',
    value: token,
    defaultText: 'SVTRAIN_CONTROL_TOKEN',
  },
  world: {
    describe: 'The API key whose world is meant, where each has one',
    value: anyText('a key'),
  },
} as const satisfies Record<string, Flag>

interface Running {
  url?: string | undefined
  token?: string | undefined
  world?: string | undefined
}

/** Where it is found. Raises `UsageError`. */
export function runningUrl({ url }: Running): string {
  return url ?? fromEnvironment('SVTRAIN_CONTROL_URL', webUrl) ?? DEFAULT_URL
}

/** An empty variable says nothing. */
function fromEnvironment(named: string, value: Value<string>): string | undefined {
  const { [named]: text = '' } = env
  return text === '' ? undefined : onlyOf({ named, texts: [text] }, value)
}

/**
 * Does something with an emulator that runs, and gives the exit code; where it refuses, or nobody is
 * there, that is said, and the code is 1.
 */
export async function withRunning(
  running: Running,
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
