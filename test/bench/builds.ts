/** Builds of commits of the history. They stay in the temporary folder, so that a second run is fast. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../support/pages.js'
import { installLocked } from './peers/install.js'

export interface Build {
  name: string
  folder: string
}

export function buildThisTree(name: string): Build {
  build(root)
  return { name, folder: root }
}

/** Builds a commit with the packages of its own lock file. */
export function buildOf(commit: string): Build {
  const { hash, name } = commitOf(commit)
  const folder = join(tmpdir(), 'svtrain-bench-versions', hash)
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['--extract', '--directory', folder], { input: git('archive', hash) })
  const modules = join(folder, 'node_modules')
  if (lockOf(folder).equals(lockOf(root))) {
    rmSync(modules, { recursive: true, force: true })
    symlinkSync(join(root, 'node_modules'), modules)
  } else {
    installLocked(folder)
  }
  build(folder)
  return { name, folder }
}

function commitOf(commit: string): { hash: string; name: string } {
  try {
    const told = git('log', '-1', '--abbrev=8', '--format=%H,%h of %cs', commit, '--')
    const [hash, name] = told.toString().trim().split(',') as [string, string]
    return { hash, name }
  } catch (cause) {
    const help = 'Fetch the whole history, or name another commit with --base.'
    throw new Error(`The history has no commit "${commit}". ${help}`, { cause })
  }
}

function git(...args: string[]): Buffer {
  return execFileSync('git', args, { cwd: root, maxBuffer: 2 ** 28, stdio: 'pipe' })
}

function lockOf(folder: string): Buffer {
  return readFileSync(join(folder, 'package-lock.json'))
}

/** Does nothing if the build is up to date. */
function build(cwd: string): void {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}
