/**
 * Measures an installation of each package in an empty folder: bytes on disk and number of
 * packages.
 */
import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Answers } from './answers.js'
import { OURS } from './contestants.js'
import { contestantsFor } from './peers/contestants.js'
import { manifestOf } from './peers/install.js'
import { BESIDE } from './servers.js'
import { figureOf, type Row, type Table } from './table.js'

export function sizes(answers: Answers): Table[] {
  const rows: Row[] = []
  for (const { name, package: known } of contestantsFor(answers)) {
    if (name !== OURS && known === undefined) continue
    const wanted = known ? `${known}@${manifestOf(known).version}` : packed(answers.folder)
    const { bytes, packages } = installed(join(answers.folder, `alone-${rows.length}`), wanted)
    rows.push({ name, figures: [figureOf([bytes / 1e6], 'MB'), figureOf([packages], '')] })
  }
  const notes = ['Size: on the disk, with all that is installed with it; less is better.']
  return [{ title: BESIDE, columns: ['size', 'packages'], rows, notes }]
}

/** Our package as it is published. Returns its path. */
export function packed(folder: string): string {
  // The script of the package removes what earlier builds left in the folder.
  const flags = ['--json', '--loglevel=error', `--pack-destination=${folder}`]
  const told = execFileSync('npm', ['pack', ...flags], { encoding: 'utf8' })
  const [{ filename }] = JSON.parse(told) as [{ filename: string }]
  return resolve(folder, filename)
}

/** Installs a package in a new folder. */
export function installed(folder: string, wanted: string): { bytes: number; packages: number } {
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{"private": true}')
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', ...flags, wanted], { cwd: folder, stdio: 'ignore' })
  const modules = join(folder, 'node_modules')
  const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as {
    packages: object
  }
  return { bytes: bytesIn(modules), packages: Object.keys(lock.packages).length }
}

function bytesIn(path: string): number {
  const stats = lstatSync(path)
  const own = stats.blocks * 512
  if (!stats.isDirectory()) return own
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), own)
}
