import { lstat, mkdir, realpath, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { ToolError } from '../../mcp/tool.js'
import { printable } from '../terminal.js'

interface Written {
  /** The folder that the file must not leave. */
  readonly folder: string
  readonly file: string
  readonly text: string
  readonly overwrite: boolean
}

/**
 * Writes a file below a folder. Creates the folders in between.
 *
 * @throws {ToolError} When the file is outside of the folder, when it exists, or when it cannot be written.
 */
export async function writeBelow({ folder, file, text, overwrite }: Written): Promise<void> {
  const shown = printable(file)
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
    await writeFile(path, text, { flag: overwrite ? 'w' : 'wx' })
  } catch (error) {
    if (error instanceof ToolError) throw error
    throw new ToolError(`Failed to write ${shown}: ${printable((error as Error).message)}`)
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
