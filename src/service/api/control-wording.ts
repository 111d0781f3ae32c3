import { didYouMean } from '../../base/text/nearest.js'
import { shortened } from '../../base/text/shortened.js'
import { EXTRA_FORBIDDEN } from '../contract/pydantic/read-fields.js'
import { LITERAL_ERROR } from '../contract/pydantic/literal.js'
import type { Problem } from '../contract/pydantic/problem.js'
import { wordsIn } from '../contract/pydantic/python-text.js'

/** A problem as text for the developer who made the call, with the nearest and all known names. */
export function controlWording({ type, loc, msg, input, ctx }: Problem): string {
  const place = loc.join('.')
  if (type === EXTRA_FORBIDDEN) {
    const isBody = loc[0] === 'body'
    const known = ctx!['known'] as readonly string[]
    const name = String(loc.at(-1))
    const unknown = `${place}: unknown ${isBody ? 'key' : 'parameter'} "${name}".`
    if (known.length === 0) return `${unknown} This call takes ${isBody ? 'no body' : 'none'}.`
    return `${unknown}${didYouMean(name, known)} Known here: ${known.join(', ')}.`
  }
  if (type === LITERAL_ERROR && typeof input === 'string') {
    const allowed = wordsIn(ctx!['expected'] as string)
    return `${place}: "${shortened(input, 100)}" is not allowed here.${didYouMean(input, allowed)} Allowed: ${allowed.join(', ')}.`
  }
  return `${place}: ${msg}.`
}
