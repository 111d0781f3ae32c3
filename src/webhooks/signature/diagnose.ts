import { capitalize } from '../../base/text/capitalize.js'
import { counted } from '../../base/text/counted.js'
import { JSON_BOUNDS } from '../../base/text/json-text.js'
import { alteredBodies, prefixedBodies } from './altered-bodies.js'
import type { Diagnosis, DiagnosisCode, Finding } from './diagnosis.js'
import { readSignature, type ReadSignature } from './read-signature.js'
import { labeledSecrets, type LabeledSecret } from './secrets.js'
import { fromBase64, fromHex, toBase64, toHex } from '../../base/text/bytes.js'
import { STANDARD_MARK, withoutMark } from '../../base/text/webhook-secret.js'
import { bytesOf, hmac, SIGNATURE_HEADER } from './signature.js'
import {
  checkVerification,
  firstValue,
  headerOf,
  judge,
  type Clues,
  type Delivered,
  type DeliveredHeaders,
  type HeaderValue,
  type Hmac,
  type SignatureRules,
  type Verdict,
} from './verify.js'

/**
 * Finds out why the signature of a delivery is not valid. It tries common mistakes and computes dozens of
 * HMACs, so use it for a log or a test, not for every request of a busy service. A body of more than 1 MB is not
 * explained.
 *
 * @param delivered The raw body and the headers, as they arrived.
 * @param rules How deliveries must be signed, with the accepted `secrets` and other clues.
 * @param digest Computes HMACs. Default: Web Crypto.
 * @returns What is wrong and what to do; undefined if the signature is valid.
 * @throws {OptionsError} When an argument can't be used.
 * @example
 * const headers = { 'X-Service-Signature': 'sha256=0123' }
 * const diagnosis = await diagnose({ body: '{}', headers }, { secrets: 's3cret' })
 * if (diagnosis) console.error(diagnosis.text)
 */
export async function diagnose(
  delivered: Delivered,
  rules: SignatureRules & Clues,
  digest: Hmac = hmac,
): Promise<Diagnosis | undefined> {
  checkVerification(delivered, rules, 'diagnose')
  const { verdict } = await judge(delivered, rules, digest)
  return diagnosisOf(delivered, rules, { digest, verdict })
}

/** Does the same as `diagnose`, for a delivery whose signature was verified. It does not check its arguments. */
export async function diagnosisOf(
  delivered: Delivered,
  rules: SignatureRules & Clues,
  { digest, verdict }: { digest: Hmac; verdict: Verdict },
): Promise<Diagnosis | undefined> {
  if (verdict === 'valid') return undefined
  if (verdict === 'unverifiable') {
    return formatDiagnosis({
      codes: ['no-secret'],
      faults: ['there is no secret to verify it with'],
    })
  }
  const search = new Search(delivered, rules, digest)
  const header = rules.header ?? SIGNATURE_HEADER
  if (verdict === 'missing')
    return formatDiagnosis(await findInOtherHeaders(delivered.headers, header, search))
  return formatDiagnosis(await search.explain(headerOf(delivered.headers, header)!))
}

function formatDiagnosis({ codes, faults }: Finding): Diagnosis {
  return { codes, text: `${capitalize(faults.join('; '))}.` }
}

/** Searches for the signature in other headers. */
async function findInOtherHeaders(
  headers: DeliveredHeaders,
  expected: string,
  search: Search,
): Promise<Finding> {
  const others = entriesOf(headers).filter(([name]) => name.toLowerCase() !== 'authorization')
  let likely: string | undefined
  for (const [name, value] of others) {
    const found = readSignature(value, search.rules) && (await search.explain(value))
    const misplaced = `the signature is in the header ${name}; expected ${expected}`
    if (found && !found.codes.includes('unexplained')) {
      return { codes: ['wrong-header', ...found.codes], faults: [misplaced, ...found.faults] }
    }
    if (/signature|hmac/i.test(name)) likely ??= name
  }
  if (likely !== undefined) {
    const why = `there is no header ${expected}; there is one ${likely}, which contains no signature of this body with a known secret`
    return { codes: ['wrong-header'], faults: [why] }
  }
  const why = `there is no header ${expected}: the sender has no secret to sign with, or something on the way dropped it`
  return { codes: ['no-signature'], faults: [why] }
}

type Header = [name: string, value: string]

function entriesOf(headers: DeliveredHeaders): Header[] {
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

/** What may have made a signature. */
interface Candidate {
  readonly key: Key
  readonly bytes: Uint8Array
  /** How the body was altered. Undefined: it was not. */
  readonly altered?: string
}

/** A candidate and its digest, without its bytes: there are dozens, and the body may be long. */
interface CandidateDigest extends Omit<Candidate, 'bytes'> {
  readonly digest: Uint8Array
}

/** Tries each key with each body that may have been signed, until the signature matches. */
class Search {
  readonly rules: SignatureRules & Clues
  readonly #body: Uint8Array
  readonly #headers: Header[]
  readonly #digest: Hmac
  readonly #keys: readonly Key[]
  /** Several headers may be compared with the same digests. */
  readonly #tried: CandidateDigest[] = []
  readonly #candidates: Generator<Candidate, undefined>

  constructor({ body, headers }: Delivered, rules: SignatureRules & Clues, digest: Hmac) {
    this.#body = bytesOf(body)
    this.#headers = entriesOf(headers)
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
      if (read.begins(tried.digest)) return finding(read, tried.key, tried.altered)
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
    const tried = { ...candidate, digest: await this.#digested(bytes, candidate.key.secret) }
    this.#tried.push(tried)
    return tried
  }

  *#allCandidates(): Generator<Candidate, undefined> {
    for (const key of this.#keys) yield { key, bytes: this.#body }
    for (const bodies of [alteredBodies(this.#body), prefixedBodies(this.#body, this.#headers)]) {
      for (const { what: altered, bytes } of bodies) {
        for (const key of this.#keys) yield { key, bytes, altered }
      }
    }
  }

  #digested(body: Uint8Array, key: Key['secret']): Uint8Array | Promise<Uint8Array> {
    return typeof key === 'string' ? this.#digest(body, key) : hmac(body, key)
  }
}

/** The most bytes of a body whose signature is explained. */
const MOST_EXPLAINED = JSON_BOUNDS.characters
const LONG_BODY = 10_000

function tooLong({ length }: Uint8Array): Finding {
  const why = `the signature is wrong, and the body has ${length} bytes: common mistakes are searched for in at most ${MOST_EXPLAINED}, so repeat it with a shorter one`
  return { codes: ['unexplained'], faults: [why] }
}

function finding(read: ReadSignature, key: Key, altered?: string): Finding {
  const codes = [...read.codes]
  const faults = [...read.faults]
  if (altered !== undefined) {
    codes.unshift('altered-body')
    faults.unshift(`it was made over ${altered}: sign exactly the bytes that are sent`)
  }
  if (key.wrong) {
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
