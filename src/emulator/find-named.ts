import { didYouMean } from '../base/text/nearest.js'
import { PlatformError } from '../service/platform/platform-error.js'
import { NotFoundError } from '../webhooks/sending/webhooks.js'

/** The most names in an error. */
const MOST_NAMES = 10
/** The most names that are compared for a suggestion. */
const MOST_COMPARED = 1000

/** Makes the error for a name that nothing has: it has the nearest name, and the newest names, or says `none`. */
export function notFound(
  sentence: string,
  written: string,
  known: readonly string[],
  none = 'it has none',
): NotFoundError {
  const names = [...new Set(known)]
  const hint = didYouMean(written, names.slice(-MOST_COMPARED))
  const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : ''
  const listed = `.${hint} There are ${names.slice(-MOST_NAMES).join(', ')}${more}`
  const end = names.length === 0 ? `: ${none}` : listed
  return new NotFoundError(`Not found: ${sentence} "${written}"${end}.`)
}

/**
 * Reads contents of files.
 *
 * @throws {NotFoundError} When one of them is lost: its file below the data folder is gone or damaged.
 */
export function readContents<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    throw new NotFoundError(`Not found: ${error.message}`, { cause: error })
  }
}

interface NamedRecord {
  readonly path: string
  readonly name: string
}

/**
 * Finds what a path or a name means. Of several with one name, it is the newest.
 *
 * @param records In the order of their creation.
 * @param which `entity/project/name`, or the name alone.
 * @param what What is wanted.
 * @throws {NotFoundError} When nothing has that name.
 */
export function findNamed<Item extends NamedRecord>(
  records: readonly Item[],
  which: string,
  what: 'run' | 'artifact',
): Item {
  const key = which.includes('/') ? 'path' : 'name'
  const found = records.findLast((each) => each[key] === which)
  if (found) return found
  const known = records.map((each) => each[key])
  const none = `none was ${what === 'run' ? 'started' : 'logged'}`
  throw notFound(`there is no ${what}`, which, known, none)
}
