import { open, realpath, stat } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { linesOf } from '../text/lines.js'
import { Unavailable, type OpenTrainingData } from '../engine/jobs/training-data.js'

export interface FileAccess {
  /** Relative paths start here; the working directory where it is left out. */
  dataRoot?: string | undefined
  /** Refuse web addresses, and what lies outside `dataRoot`, or every file where there is none. */
  confined?: boolean
}

/** Opens local paths and `file:` URLs from the disk, and http(s) URLs from where they point. */
export function openFromDisk({ dataRoot, confined = false }: FileAccess = {}): OpenTrainingData {
  return async (url) => {
    if (/^https?:/i.test(url)) {
      // Whoever reaches the port could otherwise have it call what only this machine reaches.
      if (confined) return new Unavailable('web addresses are fetched only while bound to loopback')
      return openFromWeb(url)
    }
    if (confined && dataRoot === undefined) {
      return new Unavailable('files are served beyond loopback only from a --data-root')
    }
    const path = pathOf(url, dataRoot)
    if (path === undefined) return new Unavailable('the file URL does not name a local path')
    const real = await realpath(path).catch(() => undefined)
    if (confined && !(await isInside(real ?? path, dataRoot!))) {
      return new Unavailable('the file lies outside the --data-root')
    }
    // Where the folders lie on this machine is not for other machines to know.
    const shown = confined ? url : path
    if (real === undefined) return new Unavailable(`no such file: ${shown}`)
    return openFile(real, shown)
  }
}

async function openFile(path: string, shown: string): Promise<AsyncIterable<string> | Unavailable> {
  // Looked at before it is opened: opening a pipe would wait for whoever writes to it.
  if (!(await stat(path)).isFile()) return new Unavailable(`not a file: ${shown}`)
  try {
    return linesOf((await open(path)).createReadStream())
  } catch (error) {
    return new Unavailable(`not readable (${(error as NodeJS.ErrnoException).code}): ${shown}`)
  }
}

async function openFromWeb(url: string): Promise<AsyncIterable<string> | Unavailable> {
  try {
    const response = await fetch(url)
    if (response.ok && response.body) return linesOf(response.body)
    await response.body?.cancel()
    return new Unavailable(`${url} answered with status ${response.status}`)
  } catch (error) {
    return new Unavailable(`${url} could not be fetched: ${reasonOf(error)}`)
  }
}

/** fetch says "fetch failed" and keeps the reason in its cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}

function pathOf(url: string, dataRoot = '.'): string | undefined {
  if (!/^file:/i.test(url)) return resolve(dataRoot, url)
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}

async function isInside(path: string, root: string): Promise<boolean> {
  // A path that is not there was not made real, so it is compared with the root as it was given.
  for (const folder of [resolve(root), await realpath(root).catch(() => root)]) {
    if (path.startsWith(folder.endsWith(sep) ? folder : folder + sep)) return true
  }
  return false
}
