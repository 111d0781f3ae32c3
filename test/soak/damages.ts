import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Draw } from '../support/draw.js'

interface Damage {
  /** The data folder or the snapshot. */
  readonly path: string
  /** A healthy data folder of another world. */
  readonly other: string
  readonly draw: Draw
}

type Damages = Readonly<Record<string, (damage: Damage) => void>>

const LOG = 'world.ndjson'
const GARBAGE = 'what is this \0\uFFFD'

/** What can happen to the lines of a file. */
function changeLines(file: string, change: (lines: string[]) => void): void {
  const lines = readFileSync(file, 'utf8').split('\n')
  change(lines)
  writeFileSync(file, lines.join('\n'))
}

/** What can happen to any file. */
const ofFiles: Readonly<Record<string, (file: string, draw: Draw) => void>> = {
  'a flipped bit'(file, draw) {
    const bytes = readFileSync(file)
    bytes[draw.below(bytes.length)]! ^= 1 << draw.below(8)
    writeFileSync(file, bytes)
  },
  'a lost end': (file, draw) => truncateSync(file, draw.below(readFileSync(file).length)),
  'no content': (file) => writeFileSync(file, ''),
  'zeros for content': (file) => writeFileSync(file, Buffer.alloc(readFileSync(file).length)),
  'a folder in its place'(file) {
    rmSync(file)
    mkdirSync(file)
  },
  'garbage at its end': (file) => writeFileSync(file, `${GARBAGE}\n`, { flag: 'a' }),
  'a line of garbage'(file, draw) {
    changeLines(file, (lines) => lines.splice(draw.below(lines.length - 1), 0, GARBAGE))
  },
  'a line that changed its place'(file, draw) {
    changeLines(file, (lines) => {
      const at = draw.below(lines.length - 2)
      lines.splice(at + 1, 0, ...lines.splice(at, 1))
    })
  },
  'a lost line'(file, draw) {
    changeLines(file, (lines) => lines.splice(draw.below(lines.length - 1), 1))
  },
}

/** Damages of one file. `find` names it. */
function damagesOf(what: string, find: (damage: Damage) => string): Damages {
  return Object.fromEntries(
    Object.entries(ofFiles).map(([how, work]) => [
      `${how}: ${what}`,
      (damage: Damage) => work(find(damage), damage.draw),
    ]),
  )
}

const logOf = ({ path }: Damage): string => join(path, LOG)

function contentOf({ path, draw }: Damage): string {
  const folder = join(path, 'contents')
  return join(folder, draw.oneOf(readdirSync(folder).sort()))
}

export const folderDamages: Damages = {
  ...damagesOf('the log', logOf),
  'a missing log': (damage) => rmSync(logOf(damage)),
  'the log of another world': (damage) => copyFileSync(join(damage.other, LOG), logOf(damage)),
  'a file in place of the folder'({ path }) {
    rmSync(path, { recursive: true })
    writeFileSync(path, 'what is this')
  },
  'a missing content': (damage) => rmSync(contentOf(damage)),
  'another content': (damage) => writeFileSync(contentOf(damage), 'what is this'),
  'a folder in place of a content': (damage) =>
    ofFiles['a folder in its place']!(contentOf(damage), damage.draw),
  'two contents that changed places'({ path }) {
    const [one, two] = readdirSync(join(path, 'contents')).sort()
    const files = [join(path, 'contents', one!), join(path, 'contents', two!)] as const
    const [first, second] = [readFileSync(files[0]), readFileSync(files[1])]
    writeFileSync(files[0], second)
    writeFileSync(files[1], first)
  },
  'no contents'({ path }) {
    rmSync(join(path, 'contents'), { recursive: true })
  },
  'a file in place of the contents'({ path }) {
    rmSync(join(path, 'contents'), { recursive: true })
    writeFileSync(join(path, 'contents'), '')
  },
  'garbage for a lock': ({ path }) => writeFileSync(join(path, 'lock'), GARBAGE),
  'an empty lock': ({ path }) => writeFileSync(join(path, 'lock'), ''),
  'a folder in place of the lock': ({ path }) => mkdirSync(join(path, 'lock')),
}

export const snapshotDamages: Damages = {
  ...damagesOf('a snapshot', ({ path }) => path),
  'a missing snapshot': ({ path }) => rmSync(path),
  'a log in place of a snapshot': ({ path, other }) => copyFileSync(join(other, LOG), path),
  'two snapshots in one file'({ path }) {
    writeFileSync(path, readFileSync(path), { flag: 'a' })
  },
}
