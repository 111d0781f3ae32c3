import { pythonRepr } from './jinja/write.js'
import type { Problem } from './pydantic/problem.js'
import { isRecord } from './pydantic/record.js'

const MOST_REPORTED = 10
const LONGEST_INPUT = 200
const LONGEST_PROBLEM = 1000
const CUT = '...[truncated]'

/** Formats problems of types as the chat server does: see docs/explain/contract.md#errors-of-the-chat-layer. */
export function validationMessage(problems: readonly Problem[]): string {
  const count = problems.length
  const label = count === 1 ? 'error' : 'errors'
  const lines = problems.slice(0, MOST_REPORTED).map((problem) => `  ${formatProblem(problem)}`)
  if (count > MOST_REPORTED) lines.push(`  ...and ${count - MOST_REPORTED} more ${label}`)
  return [`${count} validation ${label}:`, ...lines].join('\n')
}

/** Returns the path of a problem, without the names of variants: `body.stop.0`. */
export function pathOf({ loc }: Problem): string {
  return loc.filter((part) => part !== 'str' && !/[[\](){}]/.test(String(part))).join('.')
}

function formatProblem(problem: Problem): string {
  const { type, msg, input, ctx } = problem
  const parts = { type, loc: pathOf(problem), msg, input: summarize(input), ...(ctx && { ctx }) }
  return cutAt(pythonRepr(parts), LONGEST_PROBLEM)
}

/** Python counts code points. */
function cutAt(text: string, most: number): string {
  if (text.length <= most) return text
  const characters = Array.from(text)
  return characters.length > most ? characters.slice(0, most).join('') + CUT : text
}

function summarize(input: unknown): string {
  if (Array.isArray(input)) return `<list of ${input.length} items>`
  if (isRecord(input)) return `<dict of ${Object.keys(input).length} items>`
  const text = typeof input === 'string' ? input : pythonRepr(input)
  return cutAt(text, LONGEST_INPUT)
}
