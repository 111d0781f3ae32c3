import { messageIn, readJson } from '../contract/answer-text.js'
import type { Problem } from '../contract/pydantic/problem.js'

/** The first problem and how many others there are: `body.model_id: Field required, and 2 more`. */
export function firstOf(problems: readonly Problem[]): string {
  const { loc, msg } = problems[0]!
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : ''
  return `${loc.join('.')}: ${msg}${more}`
}

/** The message in an error's body, in the form of any host. Default: the whole body. */
export function detailOf(body: string): string {
  return messageIn(readJson(body)?.value) ?? body
}
