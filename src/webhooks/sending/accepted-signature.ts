import { SIGNATURE_HEADER } from '../signature/signature.js'
import { senderOf, type ExpectedSignature } from '../signature/signature-forms.js'
import {
  USUAL_HEADERS,
  type SignatureVariant,
  type Stamp,
} from '../signature/signature-variants.js'
import { OTHER_SECRET } from './receiver-battery.js'

/** Sends a body with the headers of a signature, and says whether the receiver accepted it. */
export type Accepts = (
  headers: (delivery: Pick<Stamp, 'id' | 'moment'>) => Promise<Record<string, string>>,
) => Promise<boolean>

/**
 * Finds the first signature that the receiver accepts.
 *
 * @returns What the receiver does and how to correct it, in sentences; undefined if it accepts none.
 */
export async function acceptedSignature(
  variants: Iterable<SignatureVariant>,
  expected: ExpectedSignature,
  accepts: Accepts,
): Promise<string | undefined> {
  const { header = SIGNATURE_HEADER } = expected
  const names = triedNames(expected)
  for (const variant of variants) {
    const { movable, findings } = variant
    const isAccepted = (tried: readonly string[], key?: string): Promise<boolean> => {
      return accepts((delivery) => variant.headers({ ...delivery, key, names: tried }))
    }
    // One call tries all headers; which of them it is matters only once it is accepted.
    if (!(await isAccepted(names))) continue
    const read = movable ? await firstAccepted(names, (name) => isAccepted([name])) : undefined
    const used = read === undefined ? names : [read]
    const moved =
      read === undefined || isSame(read, header) ? [] : [movedTo(read, header, expected)]
    if (await isAccepted(used, OTHER_SECRET)) return sentences([unverified(read), ...moved])
    return sentences([...findings, ...moved])
  }
  return undefined
}

/** How many calls follow at most when a receiver accepts one: which header it reads, and whether it verifies. */
export function mostCallsFor(expected: ExpectedSignature): number {
  return triedNames(expected).length + 1
}

function triedNames({ header = SIGNATURE_HEADER }: ExpectedSignature): string[] {
  return [header, ...USUAL_HEADERS.filter((name) => !isSame(name, header))]
}

function movedTo(read: string, header: string, expected: ExpectedSignature): string {
  return `reads the signature from the header ${read}; ${senderOf(expected)} sends it in ${header}. Read ${header}, or check with --header ${read} if your sender uses that one.`
}

function unverified(read: string | undefined): string {
  const isNot = 'it does not verify the signature.'
  if (read === undefined) return `accepts any value in such headers: ${isNot}`
  return `accepts any value in the header ${read}: ${isNot} Compare it with the HMAC of the raw request body.`
}

function sentences(findings: readonly string[]): string {
  return findings
    .map((finding, index) => `${index === 0 ? 'Your receiver' : 'It also'} ${finding}`)
    .join(' ')
}

async function firstAccepted(
  names: readonly string[],
  isAccepted: (name: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (const name of names) if (await isAccepted(name)) return name
  return undefined
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
