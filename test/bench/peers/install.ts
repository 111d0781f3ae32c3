import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const peersFolder = import.meta.dirname
/** A version that fits all peers and all rows. */
export const NEWER_NODE = '24'

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
  if (existsSync(installed) && sameVersions(installed, wanted)) return
  console.error(`Installing packages into ${join(cwd, 'node_modules')}`)
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/**
 * Whether the versions are the wanted ones. Optional packages that do not run here may be missing.
 */
function sameVersions(installed: string, wanted: string): boolean {
  const versionsIn = (path: string): Record<string, { version?: string }> => {
    const { packages } = JSON.parse(readFileSync(path, 'utf8')) as {
      packages: Record<string, { version?: string }>
    }
    return packages
  }
  const all = versionsIn(wanted)
  return Object.entries(versionsIn(installed)).every(
    ([path, { version }]) => all[path]?.version === version,
  )
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

/** Installs a newer Node from the registry, for packages that need it. */
export function newerNode(): { path: string; version: string } {
  return nodeOf(NEWER_NODE)
}

/** Returns a Node of a version such as `24` or `24.18.0`: this one if it fits, or one from the registry. */
export function nodeOf(wanted: string): { path: string; version: string } {
  if (`${process.versions.node}.`.startsWith(`${wanted}.`)) {
    return { path: process.execPath, version: process.version }
  }
  const print = 'node --print "process.execPath + \' \' + process.version"'
  const told = execFileSync('npm', ['exec', '--yes', `--package=node@${wanted}`, '-c', print], {
    // npm would use a package with the same name that is installed here.
    cwd: tmpdir(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [path, version] = told.trim().split(' ') as [string, string]
  return { path, version }
}
