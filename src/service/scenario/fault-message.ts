import { fillPlaceholders, findPlaceholderProblem } from './placeholders.js'

const NAMES = ['model', 'project'] as const

/** Replaces `{{model}}` and `{{project}}` in the error message of a fault with those of the request. */
export function fillFaultMessage(
  message: string | undefined,
  facts: Readonly<Record<(typeof NAMES)[number], string | undefined>>,
): string | undefined {
  if (message === undefined) return undefined
  return fillPlaceholders(message, (name) => {
    const known = NAMES.find((each) => each === name)
    return known && (facts[known] ?? `unknown ${known}`)
  })
}

/** Says what is wrong with the error message of a fault. Undefined if it is valid. */
export function findFaultMessageProblem(message: string): string | undefined {
  return findPlaceholderProblem(message, { names: NAMES })
}
