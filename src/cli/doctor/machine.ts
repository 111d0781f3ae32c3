import { lookup } from 'node:dns/promises'
import { connect } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { execFile } from 'node:child_process'
import { withoutBrackets } from '../../base/text/authority.js'
import { version } from '../../base/text/version.js'
import { CONTROL_ROOT } from '../../emulator/control/control-path.js'
import type { Info } from '../../emulator/control/schemas/info.js'
import { ownAddresses } from '../../emulator/intercept/outside.js'
import type { Context } from '../context.js'
import type { Answering, EmulatorPort, Machine } from './check.js'

/** How long a server or a program may take, in milliseconds. */
const PATIENCE = 10_000

/** This machine, as the user's programs see it. */
export function thisMachine({
  environment,
  program,
}: Pick<Context, 'environment' | 'program'>): Machine {
  return {
    environment,
    program,
    version,
    folder: process.cwd(),
    node: process.versions.node,
    temporaryFolder: tmpdir(),
    ownHosts: [hostname(), ...ownAddresses()],
    answersAt: async (port, host = '127.0.0.1') =>
      (await emulatorAt(`http://${host}:${port}`)) ?? listensAt(port, host),
    refusesKey,
    addressesOf: async (name) => {
      const found = await lookup(name, { all: true }).catch(() => [])
      return found.map(({ address }) => address)
    },
    pythonPackages: (names) => packagesOf(names, environment),
  }
}

/** The emulator at an address. Undefined if none answers there. */
async function emulatorAt(origin: string): Promise<EmulatorPort | undefined> {
  try {
    const answer = await fetch(`${origin}${CONTROL_ROOT}/info`, {
      signal: AbortSignal.timeout(PATIENCE),
    })
    const { name, training_url: training, inference_url: inference } = (await answer.json()) as Info
    // Only the port of the training API has the control API.
    const api = answer.ok ? 'training' : 'inference'
    return name === 'svtrain-emulator' ? { api, training, inference } : undefined
  } catch {
    return undefined
  }
}

async function refusesKey(url: string, key: string): Promise<boolean> {
  try {
    const headers = { authorization: `Bearer ${key}` }
    const { status } = await fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE) })
    return status === 401
  } catch {
    return false
  }
}

function listensAt(port: number, host: string): Promise<Answering> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: withoutBrackets(host), timeout: PATIENCE })
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
