import { dirname } from 'node:path'
import { DataFolderError } from './data-folder-error.js'

/** Does something with a file, and says in words why the system refuses it. */
export function attempt<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof DataFolderError ? error : unusable(path, error)
  }
}

/** Does something with a file. Returns undefined if there is no such file. */
export function ifThere<T>(path: string, work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw unusable(path, error)
  }
}

export function unusable(path: string, error: unknown): DataFolderError {
  const { message } = error as Error
  const [, toDo = ''] = advice.find(([codes]) => codes.includes(codeOf(error) ?? '')) ?? []
  return new DataFolderError('SVTRAIN_DATA_UNUSABLE', `Failed to use ${path}: ${message}.${toDo}`)
}

const advice: readonly (readonly [codes: readonly string[], toDo: string])[] = [
  [['ENOSPC', 'EDQUOT'], ' Free some space. The next change then saves everything.'],
  [['EROFS', 'EACCES', 'EPERM'], ' Choose a folder that this user can write to.'],
]

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}

/** The error of a world that is larger than a folder may hold. */
export function tooLarge(
  what: 'open' | 'save',
  { file, bytes, most }: { file: string; bytes: number; most: number },
): DataFolderError {
  const [is, size] = [what === 'open' ? '' : 'more than ', bytes.toLocaleString('en-US')]
  return new DataFolderError(
    'SVTRAIN_DATA_TOO_LARGE',
    `The world is too large to ${what} in ${dirname(file)}: ${is}${size} bytes, at most ${most.toLocaleString('en-US')}. Reset it, or start in another folder.`,
  )
}
