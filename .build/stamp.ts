/**
 * The stamp, dist/build.json, has the hash of the sources that dist/ was built from, and of each file in
 * it. It tells whether dist/ is up to date.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

export const root = join(import.meta.dirname, '..')
export const dist = join(root, 'dist')
/** Written into the source by the build. */
export const generated = 'src/service/scenario/built-in-scenarios.generated.json'

const SOURCES = ['src', 'scenarios', '.build', 'package.json', 'package-lock.json', 'tsconfig.json']
/** The file in dist/ that holds the stamp. */
export const STAMP = 'build.json'

export interface Stamp {
  /** The hash of all sources. */
  readonly sources: string
  /** The hash of each file that was written, by its path in the repository. */
  readonly outputs: Readonly<Record<string, string>>
  /** Files of earlier builds that still exist, with the time of the first build without them. */
  readonly retired: Readonly<Record<string, number>>
}

/** Returns the hash of the contents of all sources. The times of files do not count. */
export function hashOfSources(): string {
  const hash = createHash('sha256')
  const files = SOURCES.flatMap((name) => filesIn(join(root, name)))
  for (const file of files.filter((each) => !each.endsWith('.generated.json')).sort()) {
    hash
      .update(`${pathOf(file)}\0`)
      .update(readFileSync(file))
      .update('\0')
  }
  return hash.digest('hex')
}

/** Returns the stamp of dist/, or undefined if nothing was built or the stamp cannot be read. */
export function readStamp(): Stamp | undefined {
  try {
    return JSON.parse(readFileSync(join(dist, STAMP), 'utf8')) as Stamp
  } catch {
    return undefined
  }
}

/** Writes the generated source in a process of its own, because a process keeps what it has imported. */
export function writeGenerated(): void {
  const program = join(root, '.build', 'write-generated.ts')
  execFileSync(process.execPath, ['--import', 'tsx', program], { cwd: root, stdio: 'inherit' })
}

/** Whether dist/ was built from these sources and is complete. */
export function isFresh(stamp: Stamp | undefined, sources: string): stamp is Stamp {
  if (stamp?.sources !== sources) return false
  return Object.entries(stamp.outputs).every(([path, hash]) => hashOf(join(root, path)) === hash)
}

/** Returns the hash of a file, or undefined if it cannot be read. */
export function hashOf(file: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex')
  } catch {
    return undefined
  }
}

/** Returns a file, or all files in a folder. */
export function filesIn(path: string): string[] {
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTDIR') return [path]
    if (code === 'ENOENT') return []
    throw error
  }
}

/** Returns the path of a file in the repository, with slashes. */
export function pathOf(file: string): string {
  return relative(root, file).split(sep).join('/')
}
