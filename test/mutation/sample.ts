/**
 * The sample: mutants that a seed drew from all of `src/`. A mutant is found by its text, not by its line
 * number, so an edit elsewhere in a file leaves it as it is.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mutantsOf, type Mutant } from './mutants.js'

/** A mutant as the list has it. */
export interface Entry {
  readonly id: number
  readonly file: string
  readonly kind: string
  /** The line on which it starts, without indentation. */
  readonly line: string
  /** What it replaces, and by what. Long texts are cut. */
  readonly original: string
  readonly mutant: string
  /** Which one it is, if a file has several with the same texts: 0 is the first one. */
  readonly occurrence: number
}

export const SIZE = 300
/** The number that decides which mutants the sample has. */
export const SEED = 22

/** A mutant, where it is today. */
export interface Placed extends Mutant, Omit<Entry, 'id'> {
  /** The number of the line, from 1. */
  readonly row: number
}

/** Returns all mutants of a source with the texts that find them again. */
export function placedIn(file: string, text: string): Placed[] {
  const seen = new Map<string, number>()
  const lines = text.split('\n')
  let row = 0
  let next = 0
  return mutantsOf(file, text).map((mutant) => {
    while (next <= mutant.start) next += lines[row++]!.length + 1
    const texts = {
      kind: mutant.kind,
      line: short(lines[row - 1]!),
      original: short(text.slice(mutant.start, mutant.end)),
      mutant: short(mutant.replacement),
    }
    const key = JSON.stringify(texts)
    const occurrence = seen.get(key) ?? 0
    seen.set(key, occurrence + 1)
    return { ...mutant, file, ...texts, occurrence, row }
  })
}

/** Finds an entry of the list among the mutants of its file, or returns undefined if it is gone. */
export function find(entry: Entry, placed: readonly Placed[]): Placed | undefined {
  return placed.find((each) => keyOf(each) === keyOf(entry))
}

export function keyOf(entry: Omit<Entry, 'id'>): string {
  const { file, kind, line, original, mutant, occurrence } = entry
  return JSON.stringify([file, kind, line, original, mutant, occurrence])
}

/** What the list keeps of a mutant. */
export function entryOf(id: number, placed: Placed): Entry {
  const { file, kind, line, original, mutant, occurrence } = placed
  return { id, file, kind, line, original, mutant, occurrence }
}

/**
 * Yields mutants in a random order that the seed decides. Each statement counts once, whatever number of
 * mutants it has, and yields one of them, so that tables do not outweigh logic.
 */
export function* drawn(placed: readonly Placed[], seed: number): Generator<Placed> {
  const random = randomFrom(seed)
  const pick = <T>(from: T[]): T => from.splice(Math.floor(random() * from.length), 1)[0]!
  const statements = groups(placed, ({ file, statement }) => `${file}:${statement}`)
  while (statements.length > 0) {
    yield pick(pick(groups(pick(statements), ({ kind }) => kind)))
  }
}

function groups<T>(all: readonly T[], keyed: (each: T) => string): T[][] {
  const byKey = new Map<string, T[]>()
  for (const each of all) {
    const group = byKey.get(keyed(each)) ?? []
    byKey.set(keyed(each), group)
    group.push(each)
  }
  return [...byKey.values()]
}

/** Returns the sources of a project, without generated files and declarations. */
export function sourcesOf(root: string): string[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${name.replaceAll('\\', '/')}`)
    .filter((name) => /\.tsx?$/.test(name) && !/\.d\.ts$|\.generated\./.test(name))
    .sort()
}

/** Reads the list. */
export function entriesOf(folder: string): Entry[] {
  return JSON.parse(readFileSync(join(folder, 'sample.json'), 'utf8')) as Entry[]
}

export function readText(root: string, file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

/** Returns the lines of the sources of a commit, as entries have them. */
export function linesOf(root: string, commit: string): Set<string> {
  const lines = execFileSync('git', ['grep', '-hI', '--no-color', '-e', '', commit, '--', 'src'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: Infinity,
  })
  return new Set(lines.split('\n').map(short))
}

/** Cuts a text to 100 characters of one line. */
function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > 100 ? `${line.slice(0, 99)}…` : line
}

/** A small generator of numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
