import type { ApiRequest } from '../../service/contract/exchange.js'
import { diagnosisOf } from '../signature/diagnose.js'
import type { Diagnosis } from '../signature/diagnosis.js'
import {
  judge,
  sameText,
  type Clues,
  type Hmac,
  type SignatureRules,
  type Verification,
} from '../signature/verify.js'

/** What deliveries must look like. */
export interface Expectations extends SignatureRules, Pick<Clues, 'known'> {
  /** The access token that `Authorization: Bearer …` must contain. */
  readonly token?: string | undefined
  /** The content type of deliveries. Default: `application/json`. False accepts any. */
  readonly contentType?: string | false | undefined
}

export interface InspectionResult extends Verification {
  readonly diagnosis: Diagnosis | undefined
  readonly problems: readonly string[]
  /** The status of a strict receiver. */
  readonly status: number
}

/** Compares a delivery with the expectations, over its raw bytes. */
export function inspect(
  request: ApiRequest,
  expected: Expectations,
  digest: Hmac,
): InspectionResult | Promise<InspectionResult> {
  const { body } = request
  if (body === 'too-large') {
    return { verdict: 'unverifiable', diagnosis: undefined, problems: ['too large'], status: 413 }
  }
  const delivered = { body, headers: request.headers }
  const flaws = flawsOf(request, expected)
  const verified = judge(delivered, expected, digest)
  // Most deliveries are valid, and are recorded at once.
  if (!(verified instanceof Promise) && !isWrong(verified)) return resultOf(verified, flaws)
  return explained()

  async function explained(): Promise<InspectionResult> {
    const verification = await verified
    const result = resultOf(verification, flaws)
    if (!isWrong(verification)) return result
    const { verdict } = verification
    const diagnosis = await diagnosisOf(delivered, expected, { digest, verdict })
    return { ...result, diagnosis, status: 401 }
  }
}

function isWrong({ verdict }: Verification): boolean {
  return verdict !== 'valid' && verdict !== 'unverifiable'
}

function resultOf({ verdict, secret }: Verification, flaws: readonly Flaw[]): InspectionResult {
  const problems = flaws.map(({ problem }) => problem)
  return { verdict, secret, diagnosis: undefined, problems, status: flaws[0]?.status ?? 200 }
}

interface Flaw {
  readonly problem: string
  readonly status: number
}

function flawsOf({ method, headers }: ApiRequest, expected: Expectations): Flaw[] {
  const { token, contentType = 'application/json' } = expected
  const flaws: Flaw[] = []
  if (method !== 'POST') {
    flaws.push({ problem: `the method is ${method}; expected POST`, status: 405 })
  }
  if (token !== undefined) {
    const { authorization } = headers
    if (authorization === undefined) {
      flaws.push({ problem: 'there is no access token', status: 401 })
    } else if (!sameText(authorization, `Bearer ${token}`)) {
      flaws.push({ problem: 'the access token is wrong', status: 401 })
    }
  }
  const type = headers['content-type']
  if (contentType !== false && !isOfType(contentType, type)) {
    const found = type === undefined ? 'there is no content type' : `the content type is ${type}`
    flaws.push({ problem: `${found}; expected ${contentType}`, status: 415 })
  }
  return flaws
}

/** Whether a content type is the expected one, in any case. Parameters that are not expected, such as the charset, do not matter. */
function isOfType(expected: string, type = ''): boolean {
  const wanted = expected.toLowerCase()
  return [type, type.split(';')[0]!].some((each) => each.trim().toLowerCase() === wanted)
}
