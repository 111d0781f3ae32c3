import { lstat, mkdir, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { pid } from 'node:process'
import { ToolError } from '../../tools/mcp/tool.js'
import { printable } from '../terminal.js'

interface FileToWrite {
  /** The folder that the file must not leave. */
  readonly folder: string
  readonly file: string
  readonly text: string
  readonly overwrite: boolean
}

/**
 * Writes a file below a folder. Creates the folders in between. A file that exists is replaced: another name
 * of it, such as a hard link, keeps the content from before.
 *
 * @throws {ToolError} When the file is outside of the folder, when it exists, when its name has control
 *   characters, or when it cannot be written.
 */
export async function writeBelow({ folder, file, text, overwrite }: FileToWrite): Promise<void> {
  const shown = printable(file)
  if (shown !== file) {
    throw new ToolError(
      `file: the name "${shown}" has control characters, which a terminal obeys. Leave them out.`,
    )
  }
  const path = resolve(folder, file)
  assertBelow(folder, path, shown)
  try {
    // A link on the way may lead out of the folder.
    assertBelow(await realpath(folder), await realFolderOf(path), shown)
    const there = await lstat(path).catch(() => undefined)
    if (there && !there.isFile()) throw new ToolError(`file: ${shown} exists, and is not a file.`)
    if (there && !overwrite) {
      throw new ToolError(`file: ${shown} exists. Choose another name, or pass overwrite true.`)
    }
    await mkdir(dirname(path), { recursive: true })
    if (there) await replace(path, text, there.mode)
    else await writeFile(path, text, { flag: 'wx' })
  } catch (error) {
    if (error instanceof ToolError) throw error
    throw new ToolError(`Failed to write ${shown}: ${printable((error as Error).message)}`)
  }
}

/** How many files this process has begun to replace. */
let replaced = 0

/** Writes a new file, and gives it the name of the one that exists. */
async function replace(path: string, text: string, mode: number): Promise<void> {
  // Another call may replace the same file now.
  const fresh = join(dirname(path), `.${basename(path)}.${pid}.${++replaced}.new`)
  try {
    // A process that was killed may have left it.
    await rm(fresh, { force: true })
    await writeFile(fresh, text, { flag: 'wx', mode })
    await rename(fresh, path)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
}

/** The real path of the nearest folder above a file that exists. */
async function realFolderOf(path: string): Promise<string> {
  const folder = dirname(path)
  try {
    return await realpath(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || folder === path) throw error
    return realFolderOf(folder)
  }
}

function assertBelow(folder: string, path: string, shown: string): void {
  const way = relative(folder, path)
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) {
    throw new ToolError(
      `file: ${shown} is outside of the working directory. Pass a path below ${printable(folder)}.`,
    )
  }
}
