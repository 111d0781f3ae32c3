import { withoutCredentials } from '../../base/text/redaction/credentials.js'
import { labeledSecrets } from '../signature/secrets.js'
import type { SignatureRules } from '../signature/verify.js'
import { tamperedBy } from './adversary.js'
import type { AttemptResult, Delivery } from './delivery.js'

type Outcome = Pick<AttemptResult, 'status' | 'error'>

/** Statuses of a server that has no receiver at that address. */
const NO_RECEIVER: readonly number[] = [404, 405]

/** Statuses with which a receiver refuses a request for another reason than its signature. */
const OTHER_REASONS: readonly number[] = [...NO_RECEIVER, 408, 410, 413, 415, 429]

/** Whether an answer may mean that the receiver refuses the signature. An error of its own does not. */
export function mayRefuseSignature({ status = 0 }: Outcome): boolean {
  return status >= 400 && status < 500 && !OTHER_REASONS.includes(status)
}

// Attempts keep their errors as text, also in saved worlds. These are the words by which ours are told apart.

/** Part of the error of what is not sent because a scenario says so. */
export const DOWN = 'the scenario has the receiver down'
/** How the error of what could not be sent begins. */
export const NOT_SENT = 'not sent: '
/** How the error of a call to a receiver begins that took too long. */
export const NO_ANSWER_WITHIN = 'no answer within '
/** The error of a delivery of a check that took too long. */
export const TOO_LONG = 'it took too long'

/** Says why an attempt was not sent. Undefined if it was. */
export function whyUnsent({ error = '' }: Outcome): string | undefined {
  if (error.startsWith(NOT_SENT)) return `It was ${error}.`
  return error.includes(DOWN) ? `Nothing was sent: ${DOWN}.` : undefined
}

/** Says in a sentence why a receiver did not accept what was sent to it, and what to do. */
export function whyFailed({ status, error = '' }: Outcome, to: string): string {
  const url = withoutCredentials(to)
  if (status === undefined) return `${noAnswer(error, url)}.`
  if (status < 400) return `${url} redirects (${status}), which is not followed: use the final URL.`
  if (status === 410) {
    return `The receiver at ${url} says that it is gone (410), which disables a webhook: correct the URL, or what it answers.`
  }
  if (NO_RECEIVER.includes(status)) {
    return `No receiver takes POST at ${url} (${status}): correct the URL.`
  }
  if (status >= 500) {
    return `The receiver failed (${status}): look at its log.`
  }
  const what = mayRefuseSignature({ status }) ? 'the signature or the body' : 'the request itself'
  return `The receiver refuses ${what} (${status}): look at its answer.`
}

/** How to enable a webhook that answered 410, in code, over HTTP and over MCP. */
export function enableAgain(webhook: string): string {
  const row = `/_emulator/webhooks/${encodeURIComponent(webhook)}/enable`
  return `Enable it again: webhooks.enable(), POST ${row}, or over MCP set_webhook with its URL`
}

/**
 * Says why the latest attempt of a delivery failed, and what to do. Whoever tells of a failed delivery says this.
 *
 * @param rules - The signature rules of its webhook, if there still is one.
 * @param wrong - What is wrong with its signature, as far as somebody looked.
 * @returns Undefined if the attempt did not fail and nothing is wrong with its signature.
 */
export function causeOf(
  { attempts, tampering, url, webhook }: Delivery,
  rules: Pick<SignatureRules, 'header' | 'secrets'> | undefined,
  wrong?: string,
): string | undefined {
  const last = attempts.at(-1)
  const unsent = last && whyUnsent(last)
  if (!last || unsent !== undefined) return unsent
  const { status = 0, error, headers } = last
  const signature = [wrong, tamperedBy(tampering)].filter(Boolean).join(' ')
  if (signature !== '' && (error === undefined || mayRefuseSignature(last))) return signature
  if (error === undefined) return undefined
  const isSigned = rules?.header !== undefined && rules.header in headers
  if (isSigned && [401, 403].includes(status)) return refusalOfSigned(rules)
  const why = whyFailed(last, last.url ?? url)
  if (status === 410) return `${why} ${enableAgain(webhook)}.`
  return status >= 500 ? `${why} ${signature}`.trimEnd() : why
}

function refusalOfSigned({ secrets }: Pick<SignatureRules, 'secrets'>): string {
  const isPadded = labeledSecrets(secrets).some(({ secret }) => secret !== secret.trim())
  const padded = isPadded ? ', which has white space at an end, such as a line end' : ''
  return `It was signed with the secret of its webhook${padded}: the receiver has another secret, or reads other bytes. check-receiver tells.`
}

function noAnswer(error: string, url: string): string {
  const { host, hostname } = new URL(url)
  if (error.includes('ECONNREFUSED')) {
    return `Nothing listens at ${host}: start the receiver, or correct the URL`
  }
  if (/ENOTFOUND|EAI_AGAIN/.test(error)) return `There is no host ${hostname}: correct the URL`
  if (error.includes(NO_ANSWER_WITHIN) || error.includes(TOO_LONG)) {
    return `The receiver at ${url} is too slow (${error}): let it answer first and work later`
  }
  return `The receiver at ${url} is not reachable (${error}): look whether it runs, and at its log`
}
