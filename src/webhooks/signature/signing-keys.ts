import { fromBase64, fromHex, toBase64, toHex } from '../../base/text/bytes.js'
import { STANDARD_MARK, withoutMark } from '../../base/text/webhook-secret.js'
import type { DiagnosisCode } from './diagnosis.js'
import { labeledSecrets, type LabeledSecret } from './secrets.js'
import { bytesOf } from './signature.js'
import type { Clues, SignatureRules } from './verify.js'

/** A key that may have made a signature. */
export interface Key extends Omit<LabeledSecret, 'secret'> {
  /** The secret, or bytes that it was decoded to. */
  readonly secret: string | Uint8Array
  /** What is wrong with using it. */
  readonly wrong?: WrongKey
}

interface WrongKey {
  readonly code: DiagnosisCode
  /** Names the key: `the access token`. */
  readonly what: string
}

/** Yields the right keys, then those that are used by mistake. */
export function* keysOf({ secrets, known, token }: SignatureRules & Clues): Generator<Key> {
  const accepted = labeledSecrets(secrets)
  yield* accepted
  for (const { label, secret } of labeledSecrets(known)) {
    const what = `a secret that is known but not accepted here (${label})`
    yield { label, secret, wrong: { code: 'other-secret', what } }
  }
  if (token !== undefined) {
    const label = 'the access token'
    yield { label, secret: token, wrong: { code: 'token-as-secret', what: label } }
  }
  for (const { label, secret } of accepted) {
    for (const [how, changed] of changedSecrets(secret)) {
      if (changed === undefined || changed === secret) continue
      const wrong: WrongKey = { code: 'mangled-secret', what: `${label} ${how}` }
      yield { label, secret: changed, wrong }
    }
  }
}

function changedSecrets(secret: string): [how: string, changed: Key['secret'] | undefined][] {
  const unmarked = withoutMark(secret)
  const base64 = unmarked.replaceAll('-', '+').replaceAll('_', '/')
  return [
    ['and a line end after it', `${secret}\n`],
    ['without the whitespace around it', secret.trim()],
    ['in quotes', `"${secret}"`],
    ['without its quotes', secret.replace(/^(["'])(.*)\1$/s, '$2')],
    ['decoded from hex', fromHex(secret)],
    ['decoded from base64', fromBase64(base64)],
    [`without ${STANDARD_MARK}`, unmarked],
    ['in hex', toHex(bytesOf(secret))],
    ['in base64', toBase64(bytesOf(secret))],
    ['left empty', ''],
  ]
}
