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
  const end = known.length === 0 ? `: ${none}.` : `.${hintAt(written, known)} ${thereAre(known)}`
  return new NotFoundError(`Not found: ${sentence} "${written}"${end}`)
}

/** Suggests the nearest of many names, with a space in front. Empty if none is near. */
export function hintAt(written: string, known: readonly string[]): string {
  return didYouMean(written, [...new Set(known)].slice(-MOST_COMPARED))
}

/** Says which names there are: `There are a, b.` Of many, the newest. */
export function thereAre(known: readonly string[]): string {
  const isOne = new Set(known).size === 1
  return `There ${isOne ? 'is only' : 'are'} ${newest(known) || 'none'}.`
}

/** Lists the newest of many names, and says how many more there are. Empty if there are none. */
export function newest(known: readonly string[]): string {
  const names = [...new Set(known)]
  const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : ''
  return names.slice(-MOST_NAMES).join(', ') + more
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
