import { counted } from '../../base/text/counted.js'
import { JSON_BOUNDS } from '../../base/text/json-text.js'
import { alteredBodies, prefixedBodies } from './altered-bodies.js'
import type { Finding } from './diagnosis.js'
import { plainHashes } from './plain-hashes.js'
import { readSignature, type ReadSignature } from './read-signature.js'
import { labeledSecrets } from './secrets.js'
import { bytesOf, hmac, sha256 } from './signature.js'
import { keysOf, type Key } from './signing-keys.js'
import { headersIn, type Clues, type Delivered, type Hmac, type SignatureRules } from './verify.js'

/** What may have made a signature. */
interface Candidate {
  /** Undefined: it is a hash without a key. */
  readonly key?: Key
  readonly bytes: Uint8Array
  /** What was signed in place of the body, or hashed. Undefined: the body. */
  readonly what?: string
}

/** A candidate and its digest, without its bytes: there are dozens, and the body may be long. */
interface CandidateDigest extends Omit<Candidate, 'bytes'> {
  readonly digest: Uint8Array
}

/** Tries each key with each body that may have been signed, until the signature matches. */
export class SignatureSearch {
  readonly rules: SignatureRules & Clues
  readonly #body: Uint8Array
  readonly #headers: ReturnType<typeof headersIn>
  readonly #digest: Hmac
  readonly #keys: readonly Key[]
  /** Several headers may be compared with the same digests. */
  readonly #tried: CandidateDigest[] = []
  readonly #candidates: Generator<Candidate, undefined>

  constructor({ body, headers }: Delivered, rules: SignatureRules & Clues, digest: Hmac) {
    this.#body = bytesOf(body)
    this.#headers = headersIn(headers)
    this.rules = rules
    this.#digest = digest
    this.#keys = [...keysOf(rules)]
    this.#candidates = this.#allCandidates()
  }

  async explain(received: string): Promise<Finding> {
    const plain = this.#keys.find(({ secret }) => secret !== '' && received.trim() === secret)
    if (plain) {
      const why = `the header holds ${plain.label} itself, which everyone can read, instead of a signature made with it`
      return { codes: ['plain-secret'], faults: [why] }
    }
    const read = readSignature(received, this.rules)
    if (!read) return notSigned(received, this.rules)
    if (this.#body.length > MOST_EXPLAINED) return tooLong(this.#body)
    return (await this.#matchingKey(read)) ?? unexplained(read)
  }

  async #matchingKey(read: ReadSignature): Promise<Finding | undefined> {
    for (let at = 0; ; at++) {
      const tried = this.#tried[at] ?? (await this.#tryNext())
      if (!tried) return undefined
      if (read.begins(tried.digest)) return finding(read, tried)
    }
  }

  async #tryNext(): Promise<CandidateDigest | undefined> {
    const { value, done } = this.#candidates.next()
    if (done) return undefined
    const { bytes, ...candidate } = value
    // Dozens of HMACs over a long body take a while. Other work goes on between them.
    if (bytes.length > LONG_BODY) {
      // Programs that verify signatures need the clock only here.
      const { nextTurn } = await import('../../base/clock/wall.js')
      await nextTurn()
    }
    const tried = { ...candidate, digest: await this.#digested(value) }
    this.#tried.push(tried)
    return tried
  }

  *#allCandidates(): Generator<Candidate, undefined> {
    for (const key of this.#keys) yield { key, bytes: this.#body }
    yield* plainHashes(this.#body, labeledSecrets(this.rules.secrets))
    for (const bodies of [alteredBodies(this.#body), prefixedBodies(this.#body, this.#headers)]) {
      for (const { what, bytes } of bodies) {
        for (const key of this.#keys) yield { key, bytes, what }
      }
    }
  }

  #digested({ bytes, key }: Candidate): Uint8Array | Promise<Uint8Array> {
    if (!key) return sha256(bytes)
    return typeof key.secret === 'string'
      ? this.#digest(bytes, key.secret)
      : hmac(bytes, key.secret)
  }
}

/** The most bytes of a body whose signature is explained. */
const MOST_EXPLAINED = JSON_BOUNDS.characters
const LONG_BODY = 10_000

function tooLong({ length }: Uint8Array): Finding {
  const why = `the signature is wrong, and the body has ${length} bytes: common mistakes are searched for in at most ${MOST_EXPLAINED}, so repeat it with a shorter one`
  return { codes: ['unexplained'], faults: [why] }
}

function finding(read: ReadSignature, { key, what }: CandidateDigest): Finding {
  const codes = [...read.codes]
  const faults = [...read.faults]
  if (!key) {
    codes.unshift('wrong-algorithm')
    faults.unshift(`it is the SHA-256 of ${what}; expected an HMAC with the secret as its key`)
  } else if (what !== undefined) {
    codes.unshift('altered-body')
    faults.unshift(`it was made over ${what}: sign exactly the bytes that are sent`)
  }
  if (key?.wrong) {
    codes.unshift(key.wrong.code)
    const remedy = key.wrong.code === 'token-as-secret' ? '; expected the secret' : ''
    faults.unshift(`it was signed with ${key.wrong.what}${remedy}`)
  }
  return { codes, faults }
}

function unexplained({ codes, faults, algorithm }: ReadSignature): Finding {
  if (algorithm !== undefined) {
    const why = `it is as long as a digest of ${algorithm}; expected an HMAC with SHA-256`
    return { codes: ['wrong-algorithm'], faults: [why] }
  }
  const why =
    'the secrets that are given here make no such signature of these bytes, nor of a usual change of them: check the secret, what changes the body on the way, and whether a time or an id is signed that is not sent'
  return { codes: ['unexplained', ...codes], faults: [why, ...faults] }
}

function notSigned(received: string, { encoding, prefix = '' }: SignatureRules): Finding {
  const expected = encoding === 'base64' ? '44 characters of base64' : '64 hexadecimal digits'
  const after = prefix === '' ? '' : ` after ${JSON.stringify(prefix)}`
  const why = `the header holds ${counted(received.length, 'character')} and no signature; expected ${expected}${after}`
  return { codes: ['not-signed'], faults: [why] }
}
