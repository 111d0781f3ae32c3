import { hostOfHeader } from '../../base/text/authority.js'
import { isLoopback } from '../../base/text/near-address.js'
import { isForHeader } from '../../base/text/header-value.js'
import { SIGNATURE_HEADER } from '../signature/signature.js'
import {
  bodyVariants,
  signatureVariants,
  type SignatureVariant,
} from '../signature/signature-variants.js'
import { acceptedSignature } from './accepted-signature.js'
import type { Rule, Trial } from './receiver-battery.js'
import {
  NoAnswerError,
  type Answer,
  type ReceiverCaller,
  type ReceiverCheck,
} from './receiver-caller.js'
import { mayRefuseSignature, whyFailed } from './why-failed.js'

/** Why a receiver refuses what it should accept: the signature that it accepts instead, unless it failed otherwise. */
export async function hintFor(
  { findsOut }: Rule,
  { trial: { signed }, answer }: { trial: Trial; answer: Answer },
  caller: ReceiverCaller,
): Promise<string | undefined> {
  if (!findsOut) return undefined
  if (!mayRefuseSignature(answer)) return whyFailed(answer, caller.check.url)
  try {
    return await acceptedInstead(findsOut, signed, caller)
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error
    return `The search for a signature that your receiver accepts ended early: ${error.message}.`
  }
}

type SignedPart = NonNullable<Rule['findsOut']>

export function variantsOf(
  what: SignedPart,
  signed: string,
  check: ReceiverCheck,
): SignatureVariant[] {
  if (what === 'body') return [...bodyVariants(signed, check)]
  // A secret must not travel through a network in plain text, and some travel in no header at all.
  const mayReveal = isLoopback(hostOfHeader(new URL(check.url).host)) && isForHeader(check.secret)
  return [...signatureVariants(signed, check)].filter(({ revealing }) => mayReveal || !revealing)
}

async function acceptedInstead(
  what: SignedPart,
  signed: string,
  caller: ReceiverCaller,
): Promise<string | undefined> {
  const { check } = caller
  const variants = variantsOf(what, signed, check)
  const found = await acceptedSignature(variants, check, caller.accepts(signed))
  if (found !== undefined || what === 'body') return found
  const { header = SIGNATURE_HEADER, token } = check
  const where =
    check.standard === true ? 'webhook-signature' : `${header} (--header sends another one)`
  return [
    `Your receiver accepts none of ${variants.length} other forms of the signature either.`,
    `Check that it has the same secret, and that it reads the header ${where}.`,
    ...(token === undefined ? ['If it requires an access token, pass it with --token.'] : []),
    'If it refuses the payload, send one of yours with --payload.',
  ].join(' ')
}
