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
