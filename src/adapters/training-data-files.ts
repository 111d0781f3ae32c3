import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { linesOf } from '../engine/lines.js'
import { Unavailable, type OpenTrainingData } from '../engine/training-data.js'

export interface FileAccess {
  /** Relative paths start here; the working directory where it is left out. */
  dataRoot?: string | undefined
  /** Refuse what lies outside `dataRoot`, or every file where there is none. */
  confined?: boolean
}

/** Opens local paths and `file:` URLs from the disk, and http(s) URLs from where they point. */
export function openFromDisk({ dataRoot, confined = false }: FileAccess = {}): OpenTrainingData {
  return async (url) => {
    if (/^https?:/i.test(url)) return openFromWeb(url)
    const path = pathOf(url, dataRoot)
    if (path === undefined) return new Unavailable('the file URL does not name a local path')
    const real = await realpath(path).catch(() => undefined)
    if (confined && !(await isInside(real ?? path, dataRoot))) {
      return new Unavailable(
        dataRoot === undefined
          ? 'files are served beyond loopback only from a --data-root'
          : 'the file lies outside the --data-root',
      )
    }
    const found = real === undefined ? undefined : await stat(real)
    if (!found) return new Unavailable(`no such file: ${path}`)
    if (!found.isFile()) return new Unavailable(`not a file: ${path}`)
    return linesOf(createReadStream(real!))
  }
}

async function openFromWeb(url: string): Promise<AsyncIterable<string> | Unavailable> {
  try {
    const response = await fetch(url)
    if (response.ok && response.body) return linesOf(response.body)
    return new Unavailable(`${url} answered with status ${response.status}`)
  } catch (error) {
    return new Unavailable(`${url} could not be fetched: ${(error as Error).message}`)
  }
}

function pathOf(url: string, dataRoot = '.'): string | undefined {
  if (!/^file:/i.test(url)) return resolve(dataRoot, url)
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}

async function isInside(path: string, root: string | undefined): Promise<boolean> {
  if (root === undefined) return false
  const realRoot = await realpath(root).catch(() => resolve(root))
  return path.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep)
}
