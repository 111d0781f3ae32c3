import { shortened } from '../../../base/text/shortened.js'
import { pythonRepr } from '../../contract/jinja/write.js'

/**
 * A problem of a request, in the words of the chat server where we know them: see
 * docs/explain/contract.md#errors-of-the-chat-layer.
 */
export class BadField {
  /** The parameter, or null if the server names none. */
  readonly param: string | null
  readonly message: string
  /** The `type` of the error, if it is not the one of the status. */
  readonly type: string | undefined

  constructor(param: string | null, message: string, type?: string) {
    this.param = param
    this.message = message
    this.type = type
  }

  /** Makes a problem in our own words. */
  static own(param: string, why: string): BadField {
    return new BadField(param, `${param}: ${why}`)
  }

  /** Makes a problem in the words of the server. Its message ends with the parameter and the value, if there are any. */
  static worded(param: string | null, message: string, value?: unknown): BadField {
    const extras = [
      ...(param === null ? [] : [`parameter=${param}`]),
      ...(value === undefined ? [] : [`value=${pythonText(value)}`]),
    ]
    const suffix = extras.length === 0 ? '' : ` (${extras.join(', ')})`
    return new BadField(param, message + suffix)
  }
}

/** Thrown if no value can be drawn for a schema. */
export class Undrawable extends Error {
  readonly problem: BadField

  constructor(problem: BadField) {
    super(problem.message)
    this.problem = problem
  }
}

/** Formats a value as `str` does in Python. */
export function pythonText(value: unknown): string {
  const text = typeof value === 'string' ? value : pythonRepr(value)
  return shortened(text, LONGEST_QUOTED)
}

const LONGEST_QUOTED = 1000
