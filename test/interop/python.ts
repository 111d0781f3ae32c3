import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { OFFLINE_SETTINGS } from '../../src/base/text/vendor/sdk-variables.js'
import { findPython } from './find-python.js'

const execute = promisify(execFile)

const ENVIRONMENTS = join(import.meta.dirname, '.venv')
const UV = join(import.meta.dirname, 'requirements-uv.txt')
/** Where Python writes what it compiles. To compile whole environments takes longer than to install them. */
export const BYTECODE = join(ENVIRONMENTS, 'bytecode')

/** A set of Python packages in a separate virtual environment below `.venv`. */
export interface Environment {
  /** The oldest version of Python that the packages run on: 12 is Python 3.12. */
  oldest: number
  /** The newest one, if that matters. */
  newest?: number
  /** The requested packages. */
  requirements: string
  /** The exact versions of all dependencies, if the requirements do not name them. */
  constraints?: string
}

export const environments = {
  /** The framework that the service is built with, tools that ask it, and older clients. */
  framework: {
    oldest: 11,
    requirements: 'requirements.txt',
    constraints: 'constraints.txt',
  },
  /** The newest release of the client. */
  newest: {
    oldest: 12,
    requirements: 'requirements-newest.txt',
    constraints: 'constraints-newest.txt',
  },
  /** Libraries that ask an inference API, and the official client of MCP. */
  clients: {
    oldest: 12,
    requirements: 'requirements-clients.txt',
    constraints: 'constraints-clients.txt',
  },
  litellm: {
    oldest: 12,
    requirements: 'requirements-litellm.txt',
    constraints: 'constraints-litellm.txt',
  },
  /** The SDK that logs runs and artifacts. */
  wandb: {
    oldest: 12,
    requirements: 'requirements-wandb.txt',
    constraints: 'constraints-wandb.txt',
  },
  /** The same a year before. */
  wandbOld: {
    oldest: 12,
    requirements: 'requirements-wandb-old.txt',
    constraints: 'constraints-wandb-old.txt',
  },
  /** What the tests of the Python package need, on the oldest Python that it supports. */
  packageOldest: { oldest: 10, newest: 10, requirements: 'requirements-package.txt' },
  /** The same on the newest one. */
  packageNewest: { oldest: 13, requirements: 'requirements-package.txt' },
} as const satisfies Record<string, Environment>

export type EnvironmentName = keyof typeof environments

/** A Python with the packages of an environment, or why there is none. */
export type Python = {
  /** What stands before a program that may run in a copy: see copies.py. */
  copy: readonly string[]
} & ({ command: string; why?: undefined } | { command?: undefined; why: string })

/**
 * Modules that take seconds of a processor to import, and no variable that a test sets. They start no thread of Python.
 * Those of numpy and polars wait for work.
 */
const COPIED: Partial<Record<EnvironmentName, readonly string[]>> = {
  newest: ['art', 'art.rewards', 'art.serverless.backend'],
  // Not wandb: its import makes a folder, which the first program would remove at its end.
  litellm: ['litellm'],
}

/** Gives each Python with such modules its `copy`. Returns what ends these processes. */
export async function shareImports(
  pythons: Record<EnvironmentName, Python>,
): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'svtrain-copies-'))
  const ends: (() => Promise<void>)[] = []
  for (const [name, modules] of Object.entries(COPIED)) {
    const python = pythons[name as EnvironmentName]
    // Only Linux copies processes well.
    if (python.command === undefined || process.platform !== 'linux') continue
    const [program, socket] = [join(import.meta.dirname, 'copies.py'), join(folder, name)]
    const server = spawn(python.command, [program, 'serve', socket, ...modules], {
      env: variablesOf(),
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    })
    await once(server.stdout, 'data')
    python.copy = [program, 'run', socket]
    ends.push(async () => {
      server.stdin.end()
      await once(server, 'exit')
    })
  }
  return async () => {
    await Promise.all(ends.map((end) => end()))
    rmSync(folder, { recursive: true })
  }
}

/** Makes the virtual environments, and keeps those whose requirements are the same as before. */
export async function preparePythons(): Promise<Record<EnvironmentName, Python>> {
  const names = Object.keys(environments) as EnvironmentName[]
  const prepared = names.map(
    async (name) => [name, await prepare(name, environments[name])] as const,
  )
  return Object.fromEntries(await Promise.all(prepared)) as Record<EnvironmentName, Python>
}

/** Makes one virtual environment, unless its requirements are the same as before. */
export async function prepare(name: string, environment: Environment): Promise<Python> {
  const { oldest, newest, requirements, constraints } = environment
  const found = await findPython(oldest, newest)
  if (!found) {
    const range = newest === undefined ? `3.${oldest} or newer` : `3.${oldest} to 3.${newest}`
    return { copy: [], why: `no Python ${range} with venv, which "${name}" needs` }
  }
  const lists = [requirements, constraints]
    .filter((list) => list !== undefined)
    .map((list) => join(import.meta.dirname, list))
  const folder = join(ENVIRONMENTS, name)
  const command = join(folder, 'bin', 'python')
  const stamp = join(folder, 'stamp')
  const hash = createHash('sha256').update(found.version)
  for (const list of lists) hash.update(readFileSync(list))
  const wanted = hash.digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return { command, copy: [] }
  let reason: string | undefined
  for (const install of [installWithUv, installWithPip]) {
    try {
      await install({ python: found.command, folder, lists })
      writeFileSync(stamp, wanted)
      return { command, copy: [] }
    } catch (error) {
      reason = (error as Error).message.split('\n')[0]
    }
  }
  return { copy: [], why: `Python ${found.version} without the packages of "${name}": ${reason}` }
}

interface Installation {
  /** The Python that the environment is for. */
  python: string
  folder: string
  /** The files of the requirements, and of their exact versions. */
  lists: readonly string[]
}

/** It takes seconds where pip takes minutes. It knows no settings of pip, such as another index. */
async function installWithUv({ python, folder, lists }: Installation): Promise<void> {
  const uv = await (installedUv ??= installUv())
  await execute(uv, ['venv', '--quiet', '--seed', '--clear', '--python', python, folder])
  const into = ['--quiet', '--python', join(folder, 'bin', 'python')]
  await execute(uv, ['pip', 'install', ...into, ...optionsOf(lists)])
}

let installedUv: Promise<string> | undefined

async function installUv(): Promise<string> {
  const python = await findPython(8)
  if (!python) throw new Error('no Python with venv')
  const folder = join(ENVIRONMENTS, 'uv')
  const uv = join(folder, 'bin', 'uv')
  if (existsSync(uv)) return uv
  try {
    // With the pip that Python has: to give the environment one of its own takes longer than uv.
    await execute(python.command, ['-m', 'venv', '--clear', '--without-pip', folder])
    const into = ['--python', join(folder, 'bin', 'python')]
    await execute(python.command, ['-m', 'pip', ...into, ...PIP_INSTALL, ...optionsOf([UV])])
  } catch {
    await installWithPip({ python: python.command, folder, lists: [UV] })
  }
  return uv
}

const PIP_INSTALL = ['install', '--quiet', '--no-compile', '--disable-pip-version-check']

async function installWithPip({ python, folder, lists }: Installation): Promise<void> {
  await execute(python, ['-m', 'venv', '--clear', folder])
  await execute(join(folder, 'bin', 'python'), ['-m', 'pip', ...PIP_INSTALL, ...optionsOf(lists)])
}

function optionsOf([requested, exact]: readonly string[]): string[] {
  return ['--requirement', requested!, ...(exact === undefined ? [] : ['--constraint', exact])]
}

export interface Ran {
  stdout: string
  stderr: string
  /** The exit code. */
  code: number
}

/**
 * One certificate, of nobody. Each client of httpx reads all that it trusts: 0.05 s of a processor for the certificates
 * of a system. The programs call no other host than the emulator, without TLS.
 */
export const FEW_CERTIFICATES = { SSL_CERT_FILE: join(import.meta.dirname, 'nobody.pem') }

/** Nothing of the caller's environment that a program may act on. */
function variablesOf(environment: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env
  return {
    PATH,
    HOME,
    PYTHONPYCACHEPREFIX: BYTECODE,
    ...FEW_CERTIFICATES,
    ...OFFLINE_SETTINGS,
    ...environment,
  }
}

/** What a program printed as JSON on its last line. Throws what it said if it failed. */
export function resultOf<T>({ code, stdout, stderr }: Ran): T {
  const last = stdout.trim().split('\n').at(-1)!
  if (code !== 0 || last === '') throw new Error(`The program broke off: ${stderr.slice(-3000)}`)
  return JSON.parse(last) as T
}

/** Runs a program that may run in a copy. */
export async function runCopy(
  { command, copy, why }: Python,
  argv: readonly string[],
  environment?: Readonly<Record<string, string>>,
): Promise<Ran> {
  if (command === undefined) throw new Error(why)
  return runPython(command, [...copy, ...argv], environment)
}

/** Runs a program of this folder, with nothing of the caller's environment that it may act on. */
export async function runPython(
  command: string,
  argv: readonly string[],
  environment?: Readonly<Record<string, string>>,
): Promise<Ran> {
  const options = {
    cwd: import.meta.dirname,
    env: variablesOf(environment),
    maxBuffer: 2 ** 29,
  }
  try {
    return { ...(await execute(command, argv, options)), code: 0 }
  } catch (error) {
    const failed = error as { stdout?: string; stderr?: string; code?: number | string }
    if (typeof failed.code !== 'number') throw error
    return { stdout: failed.stdout ?? '', stderr: failed.stderr ?? '', code: failed.code }
  }
}
