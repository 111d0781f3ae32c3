import { lookup } from 'node:dns/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { execFile } from 'node:child_process'
import { version } from '../../base/text/version.js'
import type { Info } from '../../emulator/control/schemas.js'
import type { Context } from '../context.js'
import { DEFAULT_PORT } from '../options/serve.js'
import type { Answering, Machine } from './check.js'

/** How long a server or a program may take, in milliseconds. */
const PATIENCE = 10_000

/** This machine, as the user's programs see it. */
export function thisMachine({
  environment,
  program,
}: Pick<Context, 'environment' | 'program'>): Machine {
  const { SVTRAIN_BASE_URL = '', SVTRAIN_CONTROL_URL = '' } = environment
  const places = [`http://127.0.0.1:${DEFAULT_PORT}`, SVTRAIN_BASE_URL, SVTRAIN_CONTROL_URL]
  // Only the port of the training API says which emulator it is of.
  let known: Promise<readonly string[]> | undefined
  const portsOfEmulators = (): Promise<readonly string[]> =>
    (known ??= Promise.all(places.map(emulatorAt)).then((found) => found.flat()))
  return {
    environment,
    program,
    version,
    folder: process.cwd(),
    node: process.versions.node,
    temporaryFolder: tmpdir(),
    async answersAt(port, host = '127.0.0.1') {
      if ((await portsOfEmulators()).includes(String(port))) return 'an emulator'
      const own = await emulatorAt(`http://${host}:${port}`)
      return own.length > 0 ? 'an emulator' : listensAt(port, host)
    },
    addressesOf: async (hostname) => {
      const found = await lookup(hostname, { all: true }).catch(() => [])
      return found.map(({ address }) => address)
    },
    pythonPackages: (names) => packagesOf(names, environment),
  }
}

/** The ports of the emulator at an address. Empty if none answers there. */
async function emulatorAt(place: string): Promise<string[]> {
  try {
    const { origin } = new URL(place)
    const answer = await fetch(`${origin}/_emulator/info`, {
      signal: AbortSignal.timeout(PATIENCE),
    })
    const info = (await answer.json()) as Partial<Info>
    if (info.name !== 'svtrain-emulator') return []
    return [origin, info.training_url, info.inference_url].flatMap((url) =>
      url === undefined ? [] : [new URL(url).port],
    )
  } catch {
    return []
  }
}

function listensAt(port: number, host: string): Promise<Answering> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: PATIENCE })
    const end = (answering: Answering): void => {
      socket.destroy()
      resolve(answering)
    }
    socket.once('connect', () => end('another server'))
    socket.once('timeout', () => end('another server'))
    socket.once('error', () => end('nobody'))
  })
}

/** Prints the versions of all packages, by their names. */
const LIST =
  'import json; from importlib.metadata import distributions; print(json.dumps({each.metadata["Name"]: each.version for each in distributions()}))'

async function packagesOf(
  names: readonly string[],
  environment: Context['environment'],
): Promise<Record<string, string> | undefined> {
  for (const command of ['python', 'python3']) {
    try {
      const options = { timeout: PATIENCE, env: { ...environment } }
      const { stdout } = await promisify(execFile)(command, ['-c', LIST], options)
      const all = Object.entries(JSON.parse(stdout) as Record<string, string>)
      return Object.fromEntries(all.filter(([name]) => names.includes(name)))
    } catch {
      // The other name may be there.
    }
  }
  return undefined
}
