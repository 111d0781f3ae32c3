import { checkArgument, kindOf, oneOf, Options, aSecret, aText } from '../text/options.js'

/** How a receiver wants the signature written. */
export interface SignatureForm {
  /** Default: `hex`, in lower case. */
  readonly encoding?: 'hex' | 'base64' | undefined
  /** What stands before it, such as `sha256=`. Default: nothing. */
  readonly prefix?: string | undefined
}

export const signatureForm = new Options<SignatureForm>('sign', {
  encoding: oneOf('hex', 'base64'),
  prefix: aText,
})

/** Buffers of another realm are none of this realm's `Uint8Array`. */
export const rawBody = kindOf('the raw body: a Uint8Array, or a string for its UTF-8', (value) => {
  return typeof value === 'string' || ArrayBuffer.isView(value)
})

export function bytesOf(body: Uint8Array | string): Uint8Array {
  return typeof body === 'string' ? new TextEncoder().encode(body) : body
}

/** The neutral form of the name that the service uses (specification, section 6.2). */
export const SIGNATURE_HEADER = 'X-Service-Signature'

/**
 * Signs a body: the SHA-256 HMAC of exactly these bytes, keyed with the secret's UTF-8. Receivers
 * disagree on the form of the signature; the default is the service's own, bare lower-case hex.
 *
 * @param body The raw body. A string stands for its UTF-8.
 * @param form How the receiver wants the signature written.
 * @returns The value of the signature header.
 * @throws OptionsError if an argument can't be used.
 * @example
 * const signature = await sign('{"event_type":"RUN_STATE"}', 's3cret', { prefix: 'sha256=' })
 */
export async function sign(
  body: Uint8Array | string,
  secret: string,
  form: SignatureForm = {},
): Promise<string> {
  checkArgument('sign', { name: 'body', value: body, kind: rawBody })
  checkArgument('sign', { name: 'secret', value: secret, kind: aSecret })
  signatureForm.check(form)
  return signWith(await hmacKey(secret), bytesOf(body), form)
}

/** The same for who signs much with one secret: preparing the key takes as long as signing. */
export async function signWith(
  key: CryptoKey,
  body: Uint8Array,
  { encoding = 'hex', prefix = '' }: SignatureForm,
): Promise<string> {
  const digest = await digestWith(key, body)
  return prefix + (encoding === 'hex' ? toHex(digest) : toBase64(digest))
}

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' }

/** Through Web Crypto, so that it runs in browsers and at the edge as well. */
export async function hmac(body: Uint8Array, secret: string): Promise<Uint8Array> {
  return digestWith(await hmacKey(secret), body)
}

export function hmacKey(secret: string): Promise<CryptoKey> {
  // An HMAC pads its key with zeros, so no key and a zero byte are the same; Web Crypto refuses none.
  const bytes = secret === '' ? new Uint8Array(1) : new TextEncoder().encode(secret)
  return crypto.subtle.importKey('raw', bytes, ALGORITHM, false, ['sign'])
}

async function digestWith(key: CryptoKey, body: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign(ALGORITHM, key, body as BufferSource))
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

export function toHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += HEX[byte]!
  return text
}

export function toBase64(bytes: Uint8Array): string {
  // Spreading them takes five times as long.
  return btoa(String.fromCharCode.apply(null, bytes as unknown as number[]))
}
