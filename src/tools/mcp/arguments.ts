import { EXTRA_FORBIDDEN } from '../../service/contract/pydantic/fields.js'
import { LITERAL_ERROR } from '../../service/contract/pydantic/literal.js'
import type { Problem } from '../../service/contract/pydantic/problem.js'
import { wordsIn } from '../../service/contract/pydantic/python-text.js'
import type { JsonSchema } from '../../service/contract/pydantic/schema.js'
import { validate } from '../../service/contract/pydantic/validate.js'
import { didYouMean } from '../../base/text/nearest.js'
import { schemaOf, ToolError, type Tool } from './tool.js'

/**
 * Reads the arguments of a tool.
 *
 * @throws {ToolError} When they cannot be used, with everything that is wrong.
 */
export function readArguments(called: Tool, given: unknown): unknown {
  const checked = validate(called.input, given ?? {}, [])
  if (checked.ok) return checked.value
  const problems = checked.problems.map((problem) => wordingOf(problem, called))
  throw new ToolError(problems.join('\n'))
}

function wordingOf({ type, loc, msg, input, ctx }: Problem, called: Tool): string {
  const { name: tool } = called
  const place = loc.join('.') || 'arguments'
  if (type === EXTRA_FORBIDDEN) {
    const known = ctx!['known'] as readonly string[]
    if (known.length === 0) return `${tool} takes no arguments, and no "${place}".`
    const hint = didYouMean(String(loc.at(-1)), known)
    return `${tool} has no argument "${place}".${hint} It takes: ${known.join(', ')}.`
  }
  if (type === LITERAL_ERROR && typeof input === 'string') {
    const allowed = wordsIn(ctx!['expected'] as string)
    return `${place}: "${input}" is not allowed.${didYouMean(input, allowed)} Allowed: ${allowed.join(', ')}.`
  }
  if (type === 'missing') return `${tool} needs the argument "${place}".`
  return `${place}: ${msg}. ${meaningOf(called, String(loc[0]))}`.trimEnd()
}

/** What the argument is for, often with an example. */
function meaningOf(called: Tool, argument: string): string {
  const { properties = {} } = schemaOf(called) as { properties?: Record<string, JsonSchema> }
  const { description } = properties[argument] ?? {}
  return typeof description === 'string' ? description : ''
}
