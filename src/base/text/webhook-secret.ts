import { aSecret, type Kind } from './options.js'

/** What secrets of Standard Webhooks begin with. */
export const STANDARD_MARK = 'whsec_'
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Whether a text is base64, with its padding, and not empty. */
export function isBase64(text: string): boolean {
  return text !== '' && BASE64.test(text)
}

/** A secret without the mark of Standard Webhooks. */
export function withoutMark(secret: string): string {
  return secret.startsWith(STANDARD_MARK) ? secret.slice(STANDARD_MARK.length) : secret
}

/** Whether a secret is of Standard Webhooks: `whsec_`, and the bytes of the key in base64. */
export function isStandardSecret(secret: string): boolean {
  return secret.startsWith(STANDARD_MARK) && isBase64(withoutMark(secret))
}

/**
 * Why no library can verify what a secret signs. It completes "the secret …", and never shows the secret. Undefined
 * if there is no reason.
 */
export function secretProblem(secret: string): string | undefined {
  if (!secret.includes(STANDARD_MARK) || isStandardSecret(secret)) return undefined
  if (!secret.startsWith(STANDARD_MARK)) {
    return `has a text in front of ${STANDARD_MARK}: leave it out, as in ${STANDARD_MARK}c2VjcmV0`
  }
  return `begins with ${STANDARD_MARK}, but what follows is not base64: copy it again with the = at its end, or leave ${STANDARD_MARK} out`
}

/** A secret that signs webhooks. No message shows its value. */
export const aWebhookSecret: Kind = {
  check(value, place) {
    aSecret.check(value, place)
    const problem = secretProblem(value as string)
    if (problem !== undefined) place.refuse(`${problem}.`)
  },
}
