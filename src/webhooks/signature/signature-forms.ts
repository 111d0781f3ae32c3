import { toBase64, toHex } from '../../base/text/bytes.js'
import { SIGNATURE_HEADER, type SignatureForm } from './signature.js'

/** The signature that a receiver should expect. */
export interface ExpectedSignature extends SignatureForm {
  readonly secret: string
  readonly token?: string | undefined
  /** Default: `X-Service-Signature`. */
  readonly header?: string | undefined
  /** The scheme of Standard Webhooks. */
  readonly standard?: boolean | undefined
}

interface Writing {
  readonly shape: string
  readonly write: (digest: Uint8Array) => string
  /** The value of `--encoding` that makes the check sign like this, if there is one. */
  readonly encoding?: 'hex' | 'base64'
}

const HEX: Writing = { shape: 'hex', write: toHex, encoding: 'hex' }
export const BASE64: Writing = { shape: 'base64', write: toBase64, encoding: 'base64' }

/** The encodings that `readSignature` recognizes. */
const WRITINGS: readonly Writing[] = [
  HEX,
  BASE64,
  { shape: 'upper-case hex', write: (digest) => toHex(digest).toUpperCase() },
  { shape: 'base64 without padding', write: (digest) => toBase64(digest).replace(/=+$/, '') },
  {
    shape: 'base64url',
    write: (digest) => toBase64(digest).replaceAll('+', '-').replaceAll('/', '_'),
  },
  { shape: 'base64 of the hex digits', write: (digest) => btoa(toHex(digest)) },
]

/** Prefixes that `readSignature` recognizes. */
const USUAL_PREFIXES = ['', 'sha256=']
const OTHER_PREFIXES = ['v1=', 'v1,', 'sha256:', 'SHA256=', 'hmac-sha256=', 'signature=']

/** How a signature is written, and what stands before it. */
export interface Form {
  readonly prefix: string
  readonly writing: Writing
}

/** Yields every form, the right one too: the receiver may expect it in another header. */
export function* allForms(): Generator<Form> {
  for (const prefix of USUAL_PREFIXES) {
    for (const writing of WRITINGS) yield { prefix, writing }
  }
  for (const prefix of OTHER_PREFIXES) {
    for (const writing of [HEX, BASE64]) yield { prefix, writing }
  }
}

/** The forms that are tried together with another mistake. */
export function usualForms(right: Form): Form[] {
  const others = [
    { prefix: '', writing: HEX },
    { prefix: 'sha256=', writing: HEX },
    { prefix: '', writing: BASE64 },
  ]
  return [right, ...others.filter((form) => !areSame(form, right))]
}

export function formOf({ encoding, prefix = '' }: ExpectedSignature): Form {
  return { prefix, writing: encoding === 'base64' ? BASE64 : HEX }
}

function areSame(one: Form, other: Form): boolean {
  return one.prefix === other.prefix && one.writing === other.writing
}

function formatForm({ prefix, writing }: Form): string {
  return `\`${prefix}<${writing.shape}>\``
}

export function formFindings(form: Form, expected: ExpectedSignature): string[] {
  const right = formOf(expected)
  if (areSame(form, right)) return []
  const { prefix, writing } = form
  const options = [
    ...(prefix === right.prefix ? [] : [`--prefix ${prefix}`]),
    ...(writing === right.writing ? [] : [`--encoding ${writing.encoding}`]),
  ]
  // The check takes no empty prefix, and signs in some encodings only.
  const canCheck = writing.encoding !== undefined && (prefix !== '' || right.prefix === '')
  const or = canCheck ? `, or check with ${options.join(' ')} if your sender signs like this` : ''
  const sends = `${senderOf(expected)} sends ${formatForm(right)}`
  return [`expects ${formatForm(form)}; ${sends}. Compare with ${formatForm(right)}${or}.`]
}

/** Names the sender: the service, or the check if options change how it signs. */
export function senderOf({ encoding = 'hex', prefix = '', header }: ExpectedSignature): string {
  const usual =
    encoding === 'hex' && prefix === '' && (header ?? SIGNATURE_HEADER) === SIGNATURE_HEADER
  return usual ? 'the service' : 'this check'
}
