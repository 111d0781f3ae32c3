import { alteredBodies } from './altered-bodies.js'
import { standardHeaders, stampHeaders } from './standard-headers.js'
import { keysOf, type Key } from './signing-keys.js'
import { fromBase64 } from '../../base/text/bytes.js'
import { sameBytes } from '../../base/text/same-bytes.js'
import { STANDARD_MARK, withoutMark } from '../../base/text/webhook-secret.js'
import { bytesOf, hmac, sha256, SIGNATURE_HEADER } from './signature.js'
import {
  allForms,
  BASE64,
  formFindings,
  formOf,
  usualForms,
  type ExpectedSignature,
  type Form,
} from './signature-forms.js'

export interface Stamp {
  /** Another key than the one of the variant. */
  readonly key?: string | undefined
  /** The headers to write the signature to. */
  readonly names: readonly string[]
  /** The id and the time of the delivery, for schemes that sign them. */
  readonly id: string
  readonly moment: Date
}

/** A signature that a receiver may expect by mistake. */
export interface SignatureVariant {
  /** Whether receivers look for it under different names. */
  readonly movable: boolean
  /** Whether it sends the secret itself. */
  readonly revealing?: boolean
  readonly headers: (stamp: Stamp) => Promise<Record<string, string>>
  /**
   * What the receiver does and how to correct it. Each completes "Your receiver …". Empty if only
   * the name of the header may differ.
   */
  readonly findings: readonly string[]
}

/** Headers in which receivers look for a signature. */
export const USUAL_HEADERS: readonly string[] = [
  SIGNATURE_HEADER,
  'X-Signature',
  'X-Webhook-Signature',
  'X-Hub-Signature-256',
  'X-Hub-Signature',
  'X-Signature-256',
  'X-Signature-SHA256',
  'X-HMAC-Signature',
  'X-Payload-Signature',
  'Webhook-Signature',
  'Signature',
]

/**
 * The signatures that receivers expect by mistake, likeliest first: in another header, with another
 * prefix or encoding, over a body that was serialized again, with a mangled key, by another scheme.
 */
export function signatureVariants(
  sent: string,
  expected: ExpectedSignature,
): Generator<SignatureVariant> {
  return expected.standard === true
    ? standardVariants(sent, expected)
    : plainVariants(sent, expected)
}

/** Signatures over a body that differs from the one that is sent. */
export function* bodyVariants(
  sent: string,
  expected: ExpectedSignature,
): Generator<SignatureVariant> {
  const { secret, standard = false } = expected
  for (const { what, bytes, rare } of alteredBodies(bytesOf(sent))) {
    const finding = `computes the HMAC over ${what}. Compute it over the raw request body, before anything parses it.`
    if (standard) yield standardVariant(bytes, standardKey(secret), finding)
    else {
      for (const form of rare ? [formOf(expected)] : usualForms(formOf(expected))) {
        yield plainVariant(bytes, secret, form, [finding, ...formFindings(form, expected)])
      }
    }
  }
}

/** Of a receiver whose sender signs the body alone, in one header. */
function* plainVariants(sent: string, expected: ExpectedSignature): Generator<SignatureVariant> {
  const { secret, token, header = SIGNATURE_HEADER } = expected
  const body = bytesOf(sent)
  for (const form of allForms()) {
    yield plainVariant(body, secret, form, formFindings(form, expected))
  }
  yield* bodyVariants(sent, expected)
  for (const { secret: key, wrong } of keysOf({ secrets: secret, token })) {
    if (!wrong) continue
    const finding = `computes the HMAC with ${wrong.what}. Use the secret exactly as it is, and check how your receiver reads it.`
    for (const form of usualForms(formOf(expected))) {
      yield plainVariant(body, key, form, [finding, ...formFindings(form, expected)])
    }
  }
  yield plainHashVariant(body, formOf(expected))
  yield { ...secretItself(secret, DUE), movable: true }
  yield standardVariant(
    body,
    secret,
    `expects the headers of Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature), which the service does not send. Verify the header ${header}, or check with --standard if your sender signs like this.`,
  )
  yield secretAsToken(secret)
}

const DUE = 'Compute the HMAC of the raw request body with the secret, and compare with that.'

/** Of a receiver whose sender signs by Standard Webhooks. Each says what is due, so none looks for another header. */
function* standardVariants(sent: string, expected: ExpectedSignature): Generator<SignatureVariant> {
  const { secret, token } = expected
  const body = bytesOf(sent)
  const right = standardKey(secret)
  const forms = usualForms({ prefix: 'v1,', writing: BASE64 })
  for (const form of forms) yield bodyAloneVariant(body, right, form, [BODY_ALONE])
  yield* bodyVariants(sent, expected)
  for (const { secret: key, wrong } of keysOf({ secrets: secret, token })) {
    if (sameBytes(bytesOf(key), right)) continue
    const finding = `computes the HMAC with ${wrong?.what ?? 'the text of the secret'}. Use the bytes that the part after ${STANDARD_MARK} has in base64.`
    yield standardVariant(body, bytesOf(key), finding)
    const findings = wrong ? [finding, BODY_ALONE] : [NOT_STANDARD]
    for (const form of forms) yield bodyAloneVariant(body, key, form, findings)
  }
  yield secretItself(secret, SIGN_BY_STANDARD)
  yield secretAsToken(secret)
}

const NOT_STANDARD =
  'does not use the headers of Standard Webhooks. Verify webhook-signature, or check without --standard.'
const SIGN_BY_STANDARD =
  'Compute the HMAC over `<webhook-id>.<webhook-timestamp>.<body>`, and compare `v1,<base64>` with webhook-signature.'
const BODY_ALONE = `computes the HMAC over the body alone. ${SIGN_BY_STANDARD}`

/** The key of a secret of Standard Webhooks. Its base64 may stand without its mark. */
function standardKey(secret: string): Uint8Array {
  return fromBase64(withoutMark(secret)) ?? bytesOf(secret)
}

function plainVariant(
  signed: Uint8Array,
  secret: Key['secret'],
  { prefix, writing }: Form,
  findings: readonly string[],
): SignatureVariant {
  return {
    movable: true,
    headers: async ({ key = secret, names }) =>
      inEach(names, prefix + writing.write(await hmac(signed, key))),
    findings,
  }
}

/** A hash without a key. With another key, it is an HMAC, which such a receiver refuses. */
function plainHashVariant(body: Uint8Array, { prefix, writing }: Form): SignatureVariant {
  return {
    movable: true,
    headers: async ({ key, names }) => {
      const digest = key === undefined ? await sha256(body) : await hmac(body, key)
      return inEach(names, prefix + writing.write(digest))
    },
    findings: [`takes the SHA-256 of the body alone, without a key. ${DUE}`],
  }
}

/** As the plain one, in a delivery of Standard Webhooks. */
function bodyAloneVariant(...of: Parameters<typeof plainVariant>): SignatureVariant {
  const plain = plainVariant(...of)
  const headers: SignatureVariant['headers'] = async (stamp) => {
    return { ...stampHeaders(stamp), ...(await plain.headers(stamp)) }
  }
  return { ...plain, movable: false, headers }
}

function standardVariant(
  body: Uint8Array,
  secret: Key['secret'],
  finding: string,
): SignatureVariant {
  return {
    movable: false,
    headers: ({ key = secret, id, moment }) => standardHeaders({ secret: key, id, body, moment }),
    findings: [finding],
  }
}

function secretItself(secret: string, remedy: string): SignatureVariant {
  return {
    movable: false,
    revealing: true,
    headers: ({ key = secret, names }) => Promise.resolve(inEach(names, key)),
    findings: [
      `compares the header with the secret itself, which anyone on the way can read. ${remedy}`,
    ],
  }
}

function secretAsToken(secret: string): SignatureVariant {
  return {
    movable: false,
    revealing: true,
    headers: ({ key = secret }) => Promise.resolve({ authorization: `Bearer ${key}` }),
    findings: [
      'takes the secret for the access token (Authorization: Bearer …). The service never sends the secret. Verify the signature with it; if the webhook has an access token, check with --token.',
    ],
  }
}

function inEach(names: readonly string[], value: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name.toLowerCase(), value]))
}
