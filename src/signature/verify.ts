import { anyObject, checkArgument, nonEmptyText, Options, aSecret } from '../text/options.js'
import { labelled, secretsOption, type Secrets } from './secrets.js'
import {
  bytesOf,
  hmac,
  rawBody,
  signatureForm,
  SIGNATURE_HEADER,
  toBase64,
  toHex,
  type SignatureForm,
} from './signature.js'

/**
 * - `valid`: it is the signature of exactly these bytes under one of the secrets;
 * - `missing`: there is none;
 * - `invalid`: it is something else;
 * - `unverifiable`: there is no secret to hold it against.
 */
export type Verdict = 'valid' | 'missing' | 'invalid' | 'unverifiable'

/** What came, as the framework at hand has it. */
export interface Delivered {
  /** The bytes as they came, before anything parsed them; a text stands for its UTF-8. */
  readonly body: Uint8Array | string
  readonly headers: DeliveredHeaders
}

/** Of fetch, of Node, or a plain record; names in any case. */
export type DeliveredHeaders =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** How deliveries are to be signed. */
export interface SignatureRules extends SignatureForm {
  /** All that are accepted. Without any, nothing can be verified. */
  readonly secrets?: Secrets | undefined
  /** The header that holds the signature. Default: `X-Service-Signature`. */
  readonly header?: string | undefined
}

/** What else `diagnose` can use. `verify` accepts the same rules. */
export interface Clues {
  /** Secrets that are not accepted, but may have been used: of another webhook, or retired. */
  readonly known?: Secrets | undefined
  /** The webhook's access token, which some take for its secret. */
  readonly token?: string | undefined
}

export const signatureRules = new Options<SignatureRules & Clues>('verify', {
  ...signatureForm.table,
  secrets: secretsOption,
  header: nonEmptyText,
  known: secretsOption,
  token: aSecret,
})

/** Throws `OptionsError` unless a delivery can be verified by these rules. */
export function checkVerification(delivered: Delivered, rules: SignatureRules, of: string): void {
  checkArgument(of, { name: 'delivered', value: delivered, kind: anyObject })
  checkArgument(of, { name: 'delivered.body', value: delivered.body, kind: rawBody })
  checkArgument(of, { name: 'delivered.headers', value: delivered.headers, kind: anyObject })
  signatureRules.check(rules, of)
}

export interface Verification {
  readonly verdict: Verdict
  /** Of a valid one, the label of the secret that it was signed with. */
  readonly secret?: string | undefined
}

/** The SHA-256 HMAC of a body; a platform that has one at hand need not go by a promise. */
export type Hmac = (body: Uint8Array, secret: string) => Uint8Array | Promise<Uint8Array>

/**
 * Verifies the signature of a delivery over its raw bytes, in constant time. A bad signature is a
 * verdict and never an error; `diagnose` says what is wrong with it.
 *
 * @param delivered The raw body and the headers, as they came.
 * @param rules How deliveries are to be signed, with the `secrets` that are accepted.
 * @throws OptionsError if an argument can't be used, such as a body that was parsed.
 * @example
 * const { verdict } = await verify({ body, headers: request.headers }, { secrets: 's3cret' })
 */
export async function verify(
  delivered: Delivered,
  rules: SignatureRules & Clues,
  digest: Hmac = hmac,
): Promise<Verification> {
  checkVerification(delivered, rules, 'verify')
  return judge(delivered, rules, digest)
}

/** The same, at once where the platform has HMACs at once. */
export function judge(
  delivered: Delivered,
  rules: SignatureRules,
  digest: Hmac,
): Verification | Promise<Verification> {
  const secrets = labelled(rules.secrets)
  if (secrets.length === 0) return { verdict: 'unverifiable' }
  const received = headerOf(delivered.headers, rules.header ?? SIGNATURE_HEADER)
  if (received === undefined || received === '') return { verdict: 'missing' }
  const body = bytesOf(delivered.body)
  const made = secrets.map(({ secret }) => digest(body, secret))
  const compare = (digests: readonly Uint8Array[]): Verification => {
    let label: string | undefined
    // All are tried, so that the time taken tells nothing of which one it was.
    for (let at = digests.length - 1; at >= 0; at--) {
      if (sameText(received, written(digests[at]!, rules))) label = secrets[at]!.label
    }
    return label === undefined ? { verdict: 'invalid' } : { verdict: 'valid', secret: label }
  }
  return areThere(made)
    ? compare(made)
    : Promise.all(made.map((digested) => Promise.resolve(digested))).then(compare)
}

function areThere(
  digests: readonly (Uint8Array | Promise<Uint8Array>)[],
): digests is readonly Uint8Array[] {
  for (const digest of digests) if (!(digest instanceof Uint8Array)) return false
  return true
}

/** A digest as that form has it. */
export function written(digest: Uint8Array, { encoding, prefix = '' }: SignatureForm): string {
  return prefix + (encoding === 'base64' ? toBase64(digest) : toHex(digest))
}

/** The value of a header, its name in any case; of several, the first. */
export function headerOf(headers: DeliveredHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const record = headers as Readonly<Record<string, string | readonly string[] | undefined>>
  const wanted = name.toLowerCase()
  // Node and fetch have them in lower case already.
  const value =
    record[wanted] ?? Object.entries(record).find(([key]) => key.toLowerCase() === wanted)?.[1]
  return typeof value === 'string' ? value : value?.[0]
}

/** Compares in a time that depends on the length alone, which is no secret. */
export function sameText(received: string, expected: string): boolean {
  if (received.length !== expected.length) return false
  let difference = 0
  for (let at = 0; at < expected.length; at++) {
    // Every character counts, whether or not one before it differed.
    difference |= received.charCodeAt(at) ^ expected.charCodeAt(at)
  }
  return difference === 0
}
