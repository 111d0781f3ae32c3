import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import {
  dist,
  filesIn,
  generated,
  hashOf,
  pathOf,
  readStamp,
  root,
  STAMP,
  type Stamp,
} from './stamp.js'

/** How long the code of an earlier build stays, in milliseconds, for an emulator that still runs it. */
const RETIREMENT = 24 * 60 * 60 * 1000

/** Code whose name holds the hash of its content. Builds with other content never overwrite it. */
const HASHED = /-[a-z0-9]{8}\.js$/

/**
 * Moves a finished build to dist/. Hashed code goes first, because nothing refers to it yet; then the
 * files that refer to it, each in one step. At every moment, each program in dist/ is the old one or the
 * new one, and what it imports is there. An emulator that runs from the old one can still import the
 * rest of it. The stamp goes last: without it, the next build starts again.
 */
export function publish(
  folder: string,
  { sources, release }: { sources: string; release: boolean },
): void {
  const built = filesIn(folder).map((file) => relative(folder, file))
  built.sort((a, b) => Number(HASHED.test(b)) - Number(HASHED.test(a)))
  const outputs: Record<string, string> = { [generated]: hashOf(join(root, generated))! }
  for (const name of built) {
    const target = join(dist, name)
    outputs[pathOf(target)] = hashOf(join(folder, name))!
    mkdirSync(dirname(target), { recursive: true })
    renameSync(join(folder, name), target)
  }
  const retired: Record<string, number> = {}
  const before = readStamp()
  const now = Date.now()
  const expired: string[] = []
  for (const file of filesIn(dist)) {
    const path = pathOf(file)
    if (path in outputs || file === join(dist, STAMP)) continue
    const since = before?.retired[path] ?? now
    if (HASHED.test(path) && !release && now - since < RETIREMENT) retired[path] = since
    else expired.push(file)
  }
  replaceStamp({ sources, outputs, retired })
  for (const file of expired) rmSync(file, { force: true })
}

/** Removes the code of earlier builds. */
export function removeRetired({ retired, ...stamp }: Stamp): void {
  const paths = Object.keys(retired)
  if (paths.length === 0) return
  for (const path of paths) rmSync(join(root, path), { force: true })
  replaceStamp({ ...stamp, retired: {} })
}

/** Replaces the stamp in one step, because another build may read it at the same time. */
function replaceStamp(stamp: Stamp): void {
  const temporary = join(root, `dist.building-${process.pid}-${STAMP}`)
  writeFileSync(temporary, `${JSON.stringify(stamp, null, 2)}\n`)
  renameSync(temporary, join(dist, STAMP))
}
