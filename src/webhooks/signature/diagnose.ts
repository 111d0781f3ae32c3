import { capitalize } from '../../base/text/capitalize.js'
import type { Diagnosis, Finding } from './diagnosis.js'
import { readSignature } from './read-signature.js'
import { hmac, SIGNATURE_HEADER } from './signature.js'
import { SignatureSearch } from './signature-search.js'
import {
  checkVerification,
  headerOf,
  headersIn,
  judge,
  type Clues,
  type Delivered,
  type DeliveredHeaders,
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
  const search = new SignatureSearch(delivered, rules, digest)
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
  search: SignatureSearch,
): Promise<Finding> {
  const others = headersIn(headers).filter(([name]) => name.toLowerCase() !== 'authorization')
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
