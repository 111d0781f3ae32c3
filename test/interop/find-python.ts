import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)

interface Found {
  command: string
  /** As Python writes it: `3.12.1`. */
  version: string
}

/**
 * Finds a Python that can make virtual environments: `SVTRAIN_PYTHON`, else `python3`, else the oldest
 * one of pyenv that is new enough, else `python3.12` and so on.
 *
 * @param oldest The oldest version that will do: 12 is Python 3.12.
 * @param newest The newest version that will do. Without it, every newer version will do.
 * @returns The command, or undefined if there is none.
 */
export async function findPython(
  oldest: number,
  newest = Number.POSITIVE_INFINITY,
): Promise<Found | undefined> {
  const { SVTRAIN_PYTHON } = process.env
  const numbered = Array.from({ length: 8 }, (_, index) => `python3.${oldest + index}`)
  const candidates = ['python3', ...(await pythonsOfPyenv()), ...numbered]
  for (const command of SVTRAIN_PYTHON ? [SVTRAIN_PYTHON, ...candidates] : candidates) {
    const version = await versionOf(command)
    if (version === undefined) continue
    const minor = minorOf(version)
    if (minor >= oldest && minor <= newest) return { command, version }
  }
  return undefined
}

/** Returns undefined if it cannot run, or has no support for virtual environments. */
async function versionOf(command: string): Promise<string | undefined> {
  const program = 'import ensurepip, platform, venv; print(platform.python_version())'
  try {
    return (await execute(command, ['-c', program])).stdout.trim()
  } catch {
    return undefined
  }
}

function minorOf(version: string): number {
  const [major, minor] = version.split('.')
  return major === '3' ? Number.parseInt(minor!, 10) : Number.NaN
}

/** The oldest first. */
async function pythonsOfPyenv(): Promise<string[]> {
  const versions = join(await rootOfPyenv(), 'versions')
  try {
    return readdirSync(versions)
      .filter((version) => version.startsWith('3.'))
      .sort((one, other) => minorOf(one) - minorOf(other))
      .map((version) => join(versions, version, 'bin', 'python3'))
  } catch {
    return []
  }
}

async function rootOfPyenv(): Promise<string> {
  const { PYENV_ROOT } = process.env
  if (PYENV_ROOT) return PYENV_ROOT
  try {
    return (await execute('pyenv', ['root'])).stdout.trim()
  } catch {
    return join(homedir(), '.pyenv')
  }
}

// As a program: `find-python.ts 12`, or `find-python.ts 10 10` for Python 3.10 only. It prints the command,
// and exits with 1 if there is none.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , oldest = '', newest] = process.argv
  const found = await findPython(Number(oldest), newest === undefined ? undefined : Number(newest))
  if (!found) process.exitCode = 1
  const said = found ? `${found.command} is Python ${found.version}` : `No Python 3.${oldest}`
  process.stdout.write(`${said}\n`)
}
