import { ApiError } from '../../service/contract/errors.js'
import { didYouMean } from '../../base/text/nearest.js'

/** Refuses a name that no webhook or automation has. */
export function partProblem(
  what: 'webhook' | 'automation',
  name: string,
  known: readonly { name: string }[],
): ApiError | undefined {
  const names = known.map((each) => each.name)
  if (names.includes(name)) return undefined
  const hint = didYouMean(name, names)
  return new ApiError(
    404,
    `There is no ${what} named "${name}".${hint} There are: ${names.join(', ') || 'none'}.`,
  )
}

/** Refuses a value that a field does not know. */
export function unknownWord(field: string, written: string, known: readonly string[]): ApiError {
  const hint = didYouMean(written, known)
  return new ApiError(400, `${field}: there is no "${written}".${hint} See ${known.join(', ')}.`)
}
