import { joinBytes } from '../../base/text/bytes.js'
import type { LabeledSecret } from './secrets.js'
import { bytesOf } from './signature.js'

/** Bytes whose SHA-256 some take for a signature: an HMAC is more than a hash of the secret with the body. */
interface PlainHash {
  /** Completes "the SHA-256 of …". */
  readonly what: string
  readonly bytes: Uint8Array
}

/** Yields what a plain SHA-256 may have been made of, likeliest first. */
export function* plainHashes(
  body: Uint8Array,
  secrets: readonly LabeledSecret[],
): Generator<PlainHash> {
  yield { what: 'the body alone', bytes: body }
  for (const { label, secret } of secrets) {
    const key = bytesOf(secret)
    yield { what: `${label} with the body after it`, bytes: joinBytes([key, body]) }
    yield { what: `the body with ${label} after it`, bytes: joinBytes([body, key]) }
  }
}
