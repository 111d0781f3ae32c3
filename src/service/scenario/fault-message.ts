import { didYouMean } from '../../base/text/nearest.js'

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g
const NAMES = ['model', 'project'] as const

/** Replaces `{{model}}` and `{{project}}` in the error message of a fault with those of the request. */
export function fillFaultMessage(
  message: string | undefined,
  facts: Readonly<Record<(typeof NAMES)[number], string | undefined>>,
): string | undefined {
  return message?.replaceAll(PLACEHOLDER, (_placeholder, content: string) => {
    const name = content.trim() as (typeof NAMES)[number]
    return facts[name] ?? `unknown ${name}`
  })
}

/** Says what is wrong with the error message of a fault. Undefined if it is valid. */
export function findFaultMessageProblem(message: string): string | undefined {
  for (const [, content = ''] of message.matchAll(PLACEHOLDER)) {
    const name = content.trim()
    if ((NAMES as readonly string[]).includes(name)) continue
    const hint = didYouMean(name, NAMES, (each) => `{{${each}}}`)
    return `there is no {{${name}}}.${hint} Known: ${NAMES.join(', ')}.`
  }
  return undefined
}
