import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const folder = join(import.meta.dirname, '.venv')
const requirements = ['requirements.txt', 'constraints.txt'].map((name) =>
  join(import.meta.dirname, name),
)
const python = join(folder, 'bin', 'python')

/** A Python with what requirements.txt lists, or why there is none. */
export type Python = { command: string; why?: undefined } | { command?: undefined; why: string }

/** Makes the virtual environment, or takes the one that is there if its requirements are the same. */
export async function preparePython(): Promise<Python> {
  const given = process.env['SVTRAIN_PYTHON'] ?? 'python3'
  try {
    const { stdout: version } = await execute(given, ['--version'])
    const wanted = stampFor(version)
    const stamp = join(folder, 'stamp')
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return { command: python }
    await execute(given, ['-m', 'venv', '--clear', folder])
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
    const [list, constraints] = requirements
    await execute(python, [...install, '--requirement', list!, '--constraint', constraints!])
    writeFileSync(stamp, wanted)
    return { command: python }
  } catch (error) {
    return { why: `no Python with its packages: ${(error as Error).message.split('\n')[0]}` }
  }
}

function stampFor(version: string): string {
  const hash = createHash('sha256').update(version)
  for (const file of requirements) hash.update(readFileSync(file))
  return hash.digest('hex')
}

export interface Ran {
  stdout: string
  stderr: string
  /** The exit code. */
  code: number
}

/** Runs a program of this folder, with nothing of the caller's environment that it may act on. */
export async function runPython(
  command: string,
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const { PATH = '', HOME = '' } = process.env
  const options = {
    cwd: import.meta.dirname,
    env: { PATH, HOME, PYTHONDONTWRITEBYTECODE: '1', ...environment },
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
