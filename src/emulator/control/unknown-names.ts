import { ApiError } from '../../service/contract/errors.js'
import { didYouMean } from '../../base/text/nearest.js'

/** Refuses a name that no webhook or automation has. */
export function partProblem(
  what: 'webhook' | 'automation',
  name: string,
  known: readonly { name: string }[],
): ApiError | undefined {
  const names = known.map((each) => each.name)
  return names.includes(name) ? undefined : thereIsNo(`${what} named `, name, names)
}

/** Refuses a name. `what` stands before it, and ends with a space. */
export function thereIsNo(what: string, name: string, names: readonly string[]): ApiError {
  const hint = didYouMean(name, names)
  const known = names.join(', ') || 'none'
  return new ApiError(404, `There is no ${what}"${name}".${hint} There are: ${known}.`)
}

/** Refuses a value that a field does not know. */
export function unknownWord(field: string, written: string, known: readonly string[]): ApiError {
  const hint = didYouMean(written, known)
  return new ApiError(400, `${field}: there is no "${written}".${hint} See ${known.join(', ')}.`)
}
