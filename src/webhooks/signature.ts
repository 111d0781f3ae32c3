/** How a receiver wants the signature written. */
export interface SignatureForm {
  /** Default: `hex`, in lower case. */
  readonly encoding?: 'hex' | 'base64' | undefined
  /** What stands before it, such as `sha256=`. Default: nothing. */
  readonly prefix?: string | undefined
}

/** The neutral form of the name that the service uses (specification, section 6.2). */
export const SIGNATURE_HEADER = 'X-Service-Signature'

/**
 * The SHA-256 HMAC of exactly these bytes, keyed with the secret's UTF-8. Bare lower-case hex unless
 * told otherwise: receivers in the field disagree (contract facts, section 11.1), and that is what
 * the specification and most of them have.
 */
export async function sign(
  body: Uint8Array,
  secret: string,
  form: SignatureForm = {},
): Promise<string> {
  return signWith(await hmacKey(secret), body, form)
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
