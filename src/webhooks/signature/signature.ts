import { toBase64, toHex } from '../../base/text/bytes.js'
import { checkArgument, valueKind, oneOf, Options, aText } from '../../base/text/options.js'
import { aWebhookSecret } from '../../base/text/webhook-secret.js'

export { SIGNATURE_HEADER } from '../../service/scenario/plain-webhook.js'

/** The form of a signature. */
export interface SignatureForm {
  /** The encoding of the signature. Default: `hex`, in lower case. */
  readonly encoding?: 'hex' | 'base64' | undefined
  /** A prefix of the signature, such as `sha256=`. Default: none. */
  readonly prefix?: string | undefined
}

export const signatureForm = new Options<SignatureForm>('sign', {
  encoding: oneOf('hex', 'base64'),
  prefix: aText,
})

// Not `instanceof Uint8Array`: a buffer may come from another realm.
export const rawBody = valueKind(
  'the raw body: a Uint8Array, or a string for its UTF-8',
  (value) => {
    return typeof value === 'string' || ArrayBuffer.isView(value)
  },
)

export function bytesOf(body: Uint8Array | string): Uint8Array {
  return typeof body === 'string' ? new TextEncoder().encode(body) : body
}

/**
 * Signs a body with the SHA-256 HMAC of exactly these bytes. The key is the UTF-8 of the secret. The
 * default form is that of the service: lower-case hex without a prefix.
 *
 * @param body The raw body. A string is encoded as UTF-8.
 * @param secret The secret of the webhook, exactly as it is stored.
 * @param form The form that the receiver expects.
 * @returns The value of the signature header.
 * @throws {OptionsError} When an argument can't be used.
 * @example
 * const signature = await sign('{"event_type":"RUN_STATE"}', 's3cret', { prefix: 'sha256=' })
 */
export async function sign(
  body: Uint8Array | string,
  secret: string,
  form: SignatureForm = {},
): Promise<string> {
  checkArgument('sign', { name: 'body', value: body, kind: rawBody })
  checkArgument('sign', { name: 'secret', value: secret, kind: aWebhookSecret })
  signatureForm.check(form)
  return signWith(await hmacKey(secret), bytesOf(body), form)
}

/** Signs with a prepared key. Preparing a key takes as long as signing. */
export async function signWith(
  key: CryptoKey,
  body: Uint8Array,
  form: SignatureForm,
): Promise<string> {
  return formatDigest(await digestWith(key, body), form)
}

export function formatDigest(digest: Uint8Array, { encoding, prefix = '' }: SignatureForm): string {
  return prefix + (encoding === 'base64' ? toBase64(digest) : toHex(digest))
}

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' }

/** Uses Web Crypto, which browsers and edge runtimes have too. */
export async function hmac(body: Uint8Array, secret: string | Uint8Array): Promise<Uint8Array> {
  return digestWith(await hmacKey(secret), body)
}

export function hmacKey(secret: string | Uint8Array): Promise<CryptoKey> {
  const bytes = bytesOf(secret)
  // Web Crypto refuses an empty key. An HMAC pads its key with zeros, so a zero byte is the same key.
  const key = (bytes.length === 0 ? new Uint8Array(1) : bytes) as BufferSource
  return crypto.subtle.importKey('raw', key, ALGORITHM, false, ['sign'])
}

async function digestWith(key: CryptoKey, body: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign(ALGORITHM, key, body as BufferSource))
}

/** A hash without a key, which proves nothing. */
export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as BufferSource))
}
