import { aSecret, type Kind } from './options.js'

const MARK = 'whsec_'
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Whether a text is base64, with its padding, and not empty. */
export function isBase64(text: string): boolean {
  return text !== '' && BASE64.test(text)
}

/** Whether a secret is of Standard Webhooks: `whsec_`, and the bytes of the key in base64. */
export function isStandardSecret(secret: string): boolean {
  return secret.startsWith(MARK) && isBase64(secret.slice(MARK.length))
}

/**
 * Why no library can verify what a secret signs. It completes "the secret …", and never shows the secret. Undefined
 * if there is no reason.
 */
export function secretProblem(secret: string): string | undefined {
  if (!secret.includes(MARK) || isStandardSecret(secret)) return undefined
  if (!secret.startsWith(MARK)) {
    return `has a text in front of ${MARK}: leave it out, as in ${MARK}c2VjcmV0`
  }
  return `begins with ${MARK}, but what follows is not base64: copy it again with the = at its end, or leave ${MARK} out`
}

/** A secret that signs webhooks. No message shows its value. */
export const aWebhookSecret: Kind = {
  check(value, place) {
    aSecret.check(value, place)
    const problem = secretProblem(value as string)
    if (problem !== undefined) place.refuse(`${problem}.`)
  },
}
