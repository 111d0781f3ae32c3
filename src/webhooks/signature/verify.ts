import {
  anyObject,
  checkArgument,
  nonEmptyText,
  Options,
  aSecret,
} from '../../base/text/options.js'
import { knownSecrets, labeledSecrets, secretsOption, type Secrets } from './secrets.js'
import {
  bytesOf,
  formatDigest,
  hmac,
  rawBody,
  signatureForm,
  SIGNATURE_HEADER,
  type SignatureForm,
} from './signature.js'

/**
 * The result of a verification:
 *
 * - `valid`: the signature is that of exactly these bytes with one of the secrets;
 * - `missing`: there is no signature;
 * - `invalid`: the signature is another one;
 * - `unverifiable`: there is no secret to verify it with.
 */
export type Verdict = (typeof verdicts)[number]

export const verdicts = ['valid', 'missing', 'invalid', 'unverifiable'] as const

/** A delivery, as your framework received it. */
export interface Delivered {
  /** The bytes as they arrived, before anything parsed them. A string is encoded as UTF-8. */
  readonly body: Uint8Array | string
  /** The headers as they arrived. */
  readonly headers: DeliveredHeaders
}

/** The headers of fetch, of Node, or a plain record, with names in any case. */
export type DeliveredHeaders =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** A header that may come several times. */
type HeaderValue = string | readonly string[] | undefined

/** How deliveries must be signed. */
export interface SignatureRules extends SignatureForm {
  /** The accepted secrets. Without one, nothing can be verified. */
  readonly secrets?: Secrets | undefined
  /** The header that holds the signature. Default: `X-Service-Signature`. */
  readonly header?: string | undefined
}

/** What else helps `diagnose`. `verify` accepts the same rules. */
export interface Clues {
  /** Secrets that are not accepted but may have been used, such as that of another webhook. */
  readonly known?: Secrets | undefined
  /** The access token of the webhook, which is sometimes used as its secret. */
  readonly token?: string | undefined
}

export const signatureRules = new Options<SignatureRules & Clues>('verify', {
  ...signatureForm.table,
  secrets: secretsOption,
  header: nonEmptyText,
  known: knownSecrets,
  token: aSecret,
})

/** @throws {OptionsError} When a delivery can't be verified by these rules. */
export function checkVerification(delivered: Delivered, rules: SignatureRules, of: string): void {
  checkArgument(of, { name: 'delivered', value: delivered, kind: anyObject })
  checkArgument(of, { name: 'delivered.body', value: delivered.body, kind: rawBody })
  checkArgument(of, { name: 'delivered.headers', value: delivered.headers, kind: anyObject })
  signatureRules.check(rules, of)
}

/** The result of `verify`. */
export interface Verification {
  /** Whether the signature is valid. */
  readonly verdict: Verdict
  /** Which secret made a valid signature: `secret "previous"`, `secret 2`, or `the secret` if there is one only. */
  readonly secret?: string | undefined
}

/** Computes the SHA-256 HMAC of a body. A runtime may do so without a promise. */
export type Hmac = (body: Uint8Array, secret: string) => Uint8Array | Promise<Uint8Array>

/**
 * Verifies the signature of a delivery over its raw bytes, in constant time. A wrong signature leads to
 * a verdict, never to an error. `diagnose` says what is wrong with it.
 *
 * @param delivered The raw body and the headers, as they arrived.
 * @param rules How deliveries must be signed, with the accepted `secrets`.
 * @param digest Computes HMACs. Default: Web Crypto.
 * @returns The verdict, and the label of the secret.
 * @throws {OptionsError} When an argument can't be used, such as a body that was parsed.
 * @example
 * async function receive(request: Request): Promise<Response> {
 *   const body = await request.text()
 *   const { verdict } = await verify({ body, headers: request.headers }, { secrets: 's3cret' })
 *   return new Response(null, { status: verdict === 'valid' ? 200 : 401 })
 * }
 */
export async function verify(
  delivered: Delivered,
  rules: SignatureRules & Clues,
  digest: Hmac = hmac,
): Promise<Verification> {
  checkVerification(delivered, rules, 'verify')
  return judge(delivered, rules, digest)
}

/** Does the same as `verify`, without checks, and without a promise if `digest` returns none. */
export function judge(
  delivered: Delivered,
  rules: SignatureRules,
  digest: Hmac,
): Verification | Promise<Verification> {
  const secrets = labeledSecrets(rules.secrets)
  if (secrets.length === 0) return { verdict: 'unverifiable' }
  const received = headerOf(delivered.headers, rules.header ?? SIGNATURE_HEADER)
  if (received === undefined || received === '') return { verdict: 'missing' }
  const body = bytesOf(delivered.body)
  const computed = secrets.map(({ secret }) => digest(body, secret))
  const compare = (digests: readonly Uint8Array[]): Verification => {
    let label: string | undefined
    // It tries all of them, so that the time does not depend on which one matches.
    for (let at = digests.length - 1; at >= 0; at--) {
      if (sameText(received, formatDigest(digests[at]!, rules))) label = secrets[at]!.label
    }
    return label === undefined ? { verdict: 'invalid' } : { verdict: 'valid', secret: label }
  }
  const areReady = computed.every((digested) => digested instanceof Uint8Array)
  if (areReady) return compare(computed)
  return Promise.all(computed.map((digested) => Promise.resolve(digested))).then(compare)
}

/** Returns the value of a header, with its name in any case; the first of several. */
export function headerOf(headers: DeliveredHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const record = headers as Readonly<Record<string, HeaderValue>>
  const wanted = name.toLowerCase()
  // Node and fetch have names in lower case.
  const own = Object.hasOwn(record, wanted) ? record[wanted] : undefined
  const value = own ?? Object.entries(record).find(([key]) => key.toLowerCase() === wanted)?.[1]
  return firstValue(value)
}

/** The value of a header; the first of several. */
function firstValue(value: HeaderValue): string | undefined {
  return typeof value === 'string' ? value : value?.[0]
}

/** A header, in the order in which it arrived. */
type Header = [name: string, value: string]

/** Returns the headers that a delivery says it has; of each, the first value. */
export function headersIn(headers: DeliveredHeaders): Header[] {
  // An object with a function alone does not say which headers it has.
  if (isList(headers)) return [...headers]
  return Object.entries(headers as Readonly<Record<string, HeaderValue>>).flatMap(
    ([name, value]) => {
      const first = firstValue(value)
      return first === undefined ? [] : [[name, first] satisfies Header]
    },
  )
}

function isList(headers: DeliveredHeaders): headers is DeliveredHeaders & Iterable<Header> {
  return Symbol.iterator in headers
}

/** Compares in constant time. Only the length, which is not secret, changes the time. */
export function sameText(received: string, expected: string): boolean {
  if (received.length !== expected.length) return false
  let difference = 0
  for (let at = 0; at < expected.length; at++) {
    // No early exit: every character is compared.
    difference |= received.charCodeAt(at) ^ expected.charCodeAt(at)
  }
  return difference === 0
}
