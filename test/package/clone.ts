import { appendFile, cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashOfSources, isFresh, readStamp, root, STAMP } from '../../.build/stamp.js'
import { run } from './shell.js'

const AUTHOR = ['-c', 'user.name=A user', '-c', 'user.email=user@example.com']

export interface Clone {
  folder: string
  /** A cache for npm, in which nothing is installed. */
  emptyCache: string
  /** Changes code that an emulator imports when the first chat comes. */
  changeTokenizer: () => Promise<void>
  /** The content of dist/build.json. */
  stamp: () => Promise<{ outputs: Record<string, string>; retired: Record<string, number> }>
  git: (...args: string[]) => Promise<string>
  remove: () => Promise<void>
}

/**
 * A clone of this repository as `npm ci` leaves it: dependencies are installed, and `dist/` is built. Changes that
 * are not committed are in it. `dist/` is a copy of ours where ours is up to date, because a build from the same
 * sources would make the same files.
 */
export async function createClone(): Promise<Clone> {
  const temporary = await mkdtemp(join(tmpdir(), 'svtrain-clone-'))
  const folder = join(temporary, 'svtrain-emulator')
  const git: Clone['git'] = (...args) => run('git', [...AUTHOR, ...args], folder)
  const listed = await run(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    root,
  )
  const sources = listed.split('\0').filter((path) => path !== '')
  const stamp = readStamp()
  const isBuilt = isFresh(stamp, hashOfSources())
  const built = isBuilt ? [...Object.keys(stamp.outputs), `dist/${STAMP}`] : []
  await Promise.all(
    [...sources, ...built]
      // A file that was deleted, and whose deletion is not committed, is still listed.
      .map((path) => cp(join(root, path), join(folder, path)).catch(ignoreMissing)),
  )
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  await git('init', '--quiet')
  // It is a folder in real clones; as a link, the pattern for folders does not match it.
  await appendFile(join(folder, '.git', 'info', 'exclude'), 'node_modules\n')
  await git('add', '--all')
  await git('commit', '--quiet', '--message=The repository')
  // This is how `npm ci` ends. It builds what is not up to date, as the hashes in the stamp tell.
  await run('npm', ['run', 'postprepare'], folder)
  let changes = 0
  return {
    folder,
    emptyCache: join(temporary, 'cache'),
    git,
    changeTokenizer: () =>
      appendFile(
        join(folder, 'src', 'service', 'engine', 'chat', 'tokenizer.ts'),
        // With an effect: the bundler leaves out what nothing uses.
        `Reflect.set(globalThis, 'change', ${++changes})\n`,
      ),
    stamp: async () =>
      JSON.parse(await readFile(join(folder, 'dist', 'build.json'), 'utf8')) as Awaited<
        ReturnType<Clone['stamp']>
      >,
    remove: () => rm(temporary, { recursive: true }),
  }
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}
