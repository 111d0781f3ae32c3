import type { Problem } from '../contract/pydantic/problem.js'
import type { Redaction } from '../engine/redaction.js'
import { HIDDEN } from '../../base/text/redaction/redact.js'

/** The most characters of a detail that the journal keeps. */
const LONGEST = 240
/** The most characters that are searched for addresses: a detail may quote a whole body. */
const MOST_READ = 10 * LONGEST

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

/** A detail as one short line, without secrets and without the credentials of addresses. */
export function shortDetail(detail: string, redaction: Redaction): string {
  const isCut = detail.length > MOST_READ
  const line = redaction
    .redact(detail.slice(0, MOST_READ), { isCut })
    .replaceAll(/(\w+:\/\/[^\s?"']+)\?[^\s"']*/g, `$1?${HIDDEN}`)
    .replaceAll(/(\w+:\/\/)[^\s/?#"']*@/g, `$1${HIDDEN}@`)
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (line.length <= LONGEST) return line
  // A slice keeps the whole text in memory; a copy does not.
  return JSON.parse(JSON.stringify(`${line.slice(0, LONGEST - 1)}…`)) as string
}
