import type { Problem } from '../contract/pydantic/problem.js'

/** The first problem and how many others there are: `body.model_id: Field required, and 2 more`. */
export function firstOf(problems: readonly Problem[]): string {
  const { loc, msg } = problems[0]!
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : ''
  return `${loc.join('.')}: ${msg}${more}`
}

/** The message in an error's body, in the form of any host. Default: the whole body. */
export function detailOf(body: string): string {
  try {
    const { detail, error, errors } = JSON.parse(body) as {
      detail?: unknown
      errors?: readonly { message?: unknown }[]
      error?: { message?: unknown }
    }
    if (typeof detail === 'string') return detail
    if (typeof error?.message === 'string') return error.message
    const first = errors?.[0]?.message
    if (typeof first === 'string') return first
  } catch {
    // Not JSON, or null.
  }
  return body
}
