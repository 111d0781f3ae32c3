import { open, realpath, stat } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loginOf, withoutLogin } from '../../base/text/authority.js'
import { textLinesOf } from '../../base/text/text-lines.js'
import { Redactor } from '../../base/text/redaction/redact.js'
import { withoutCredentials } from '../../base/text/redaction/credentials.js'
import { Unavailable, type OpenTrainingData } from '../../service/engine/jobs/training-data.js'

export interface FileAccess {
  /** The folder that relative paths start from. Default: the working directory. */
  dataRoot?: string | undefined
  /** Whether to refuse web addresses and files outside `dataRoot`. Without a `dataRoot`, refuses all files. */
  confined?: boolean
}

/** Opens training data: local paths and `file:` URLs from disk, and http(s) URLs from the web. */
export function openFromDisk({ dataRoot, confined = false }: FileAccess = {}): OpenTrainingData {
  return async (url) => {
    // Otherwise it names the working directory.
    if (url === '') return new Unavailable('training_data_url is empty')
    if (/^https?:/i.test(url)) {
      // Otherwise another machine could make this one call addresses that only this one reaches.
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
    // Other machines must not learn the folders of this machine.
    const shown = confined ? url : path
    if (real === undefined) return new Unavailable(`no such file: ${shown}`)
    return openFile(real, shown)
  }
}

async function openFile(path: string, shown: string): Promise<AsyncIterable<string> | Unavailable> {
  // Checked before it is opened: opening a pipe waits for a program that writes to it.
  if (!(await stat(path)).isFile()) return new Unavailable(`not a file: ${shown}`)
  try {
    return textLinesOf((await open(path)).createReadStream())
  } catch (error) {
    return new Unavailable(`not readable (${(error as NodeJS.ErrnoException).code}): ${shown}`)
  }
}

async function openFromWeb(url: string): Promise<AsyncIterable<string> | Unavailable> {
  const shown = withoutCredentials(url)
  try {
    const authorization = loginOf(new URL(url))
    const response = await fetch(withoutLogin(url), {
      headers: { ...(authorization && { authorization }) },
    })
    if (response.ok && response.body) return textLinesOf(response.body)
    await response.body?.cancel()
    return new Unavailable(`${shown} answered with status ${response.status}`)
  } catch (error) {
    const reason = new Redactor().redact(reasonOf(error))
    return new Unavailable(`${shown} could not be fetched: ${reason}`)
  }
}

/** The message of fetch is "fetch failed". Its cause has the reason. */
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
  // A path that doesn't exist has no real path, so it is compared with the root as the user wrote it.
  for (const folder of [resolve(root), await realpath(root).catch(() => root)]) {
    if (path.startsWith(folder.endsWith(sep) ? folder : folder + sep)) return true
  }
  return false
}
