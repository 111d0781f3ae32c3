import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const peersFolder = import.meta.dirname

interface Manifest {
  version: string
  engines?: { node?: string }
}

/** Installs the packages of the lock file in this folder, once. */
export function installPeers(): void {
  installLocked(peersFolder)
}

/** Installs the packages of the lock file in a folder, once. */
export function installLocked(cwd: string): void {
  const installed = join(cwd, 'node_modules/.package-lock.json')
  const wanted = join(cwd, 'package-lock.json')
  // npm writes this file last.
  if (existsSync(installed) && statSync(installed).mtimeMs > statSync(wanted).mtimeMs) return
  console.error(`Installing packages into ${join(cwd, 'node_modules')}`)
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

export function manifestOf(name: string): Manifest {
  const path = join(peersFolder, 'node_modules', name, 'package.json')
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest
}

export function binOf(name: string): string {
  return join(peersFolder, 'node_modules/.bin', name)
}

/** Whether the version of this Node is at least `least`, for example `24.18`. */
export function runsOn(least: string): boolean {
  const [major, minor] = process.versions.node.split('.').map(Number) as [number, number]
  const [wantedMajor, wantedMinor = 0] = least.split('.').map(Number) as [number, number?]
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)
}

/** Returns the path of a Node of a version such as `24` or `24.18.0`: this one if it fits, or one from the registry. */
export function nodeOf(wanted: string): string {
  if (`${process.versions.node}.`.startsWith(`${wanted}.`)) return process.execPath
  const print = 'node --print process.execPath'
  const told = execFileSync('npm', ['exec', '--yes', `--package=node@${wanted}`, '-c', print], {
    // npm would use a package with the same name that is installed here.
    cwd: tmpdir(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return told.trim()
}
