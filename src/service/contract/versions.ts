import { choiceOf } from '../../base/text/options.js'
import { didYouMean } from '../../base/text/nearest.js'

/**
 * The contracts of the service, by the month of the document that describes them, oldest first. Months compare as
 * texts. See docs/explain/contract.md#choose-the-version-of-the-contract.
 */
export const contractVersions = ['2026-01', '2026-11'] as const

/** The name of a contract of the service: the year and the month of its document. */
export type ContractVersion = (typeof contractVersions)[number]

/** The contract that is served unless another one is chosen. */
export const NEWEST_CONTRACT: ContractVersion = '2026-11'

/** A contract of the service, by its name. */
export const aContract = /* @__PURE__ */ choiceOf(contractVersions, contractHint)

/**
 * Explains which contract a text means that names none, with a space in front. For a month, it is the contract that
 * was in force then. Empty if it is not clear.
 */
export function contractHint(written: string): string {
  const [, month] = /^(\d{4}-(?:0[1-9]|1[0-2]))(?:-\d\d)?$/.exec(written) ?? []
  if (month === undefined) return didYouMean(written, contractVersions)
  const inForce = contractVersions.findLast((version) => version <= month)
  return inForce === undefined
    ? ` The oldest one is "${contractVersions[0]}".`
    : ` In ${month}, "${inForce}" was in force.`
}
