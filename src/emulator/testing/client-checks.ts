import { EmulatorError } from '../../base/text/emulator-error.js'
import { aFlag, Options } from '../../base/text/options.js'
import type { CheckDefinition, FoundMistake } from './check-definition.js'
import { checks, eachCheck, type CheckName } from './checks/index.js'
import { traceOf } from './trace.js'
import type { TestedWorld } from './world.js'

/** The mistakes of clients to look for. Each check is on unless it is `false`. */
export interface ClientChecks {
  /** A batch submitted again after an answer that was lost or an error, or before the client saw that job end. */
  duplicateJobs?: boolean
  /** A cursor of events before one that the client already used. */
  backwardCursors?: boolean
  /** A cursor of events after some that the client never received. */
  skippedEvents?: boolean
  /** A poll for a job after the client was shown that it ended. */
  pollsPastTheEnd?: boolean
  /** Deliveries that were not acknowledged, or more than once. */
  deliveries?: boolean
}

export const clientChecks = new Options<ClientChecks>(
  'assertClientChecks',
  eachCheck(() => aFlag),
)

/** Thrown when a client check fails, with everything that was found. Code `SVTRAIN_CONDUCT`. */
export class ClientCheckError extends EmulatorError {
  override readonly name = 'ClientCheckError'
  readonly code = 'SVTRAIN_CONDUCT'
  /** One sentence for each mistake. */
  readonly findings: readonly string[]

  /** @internal */
  constructor(findings: readonly string[], world: TestedWorld) {
    const lines = findings.map((finding) => `  ${finding}`)
    super(['The client checks failed:', ...lines, '', traceOf(world)].join('\n'))
    this.findings = findings
  }
}

/** A mistake of a client. */
export interface Finding extends FoundMistake {
  readonly check: CheckName
}

/**
 * Returns a sentence for each mistake of a client; it ends with how to turn off its check.
 *
 * @throws {OptionsError} When there is no such check.
 */
export function failedClientChecks(...parameters: Parameters<typeof findingsIn>): string[] {
  return findingsIn(...parameters).map(({ check, text }) => `${text} (${check}: false allows it)`)
}

/**
 * Returns each mistake of a client.
 *
 * @throws {OptionsError} When there is no such check.
 */
export function findingsIn(world: TestedWorld, chosen: ClientChecks = {}, all = checks): Finding[] {
  clientChecks.check(chosen)
  const requests = world.journal.entries.filter((entry) => entry.kind === 'request')
  const definitions = Object.entries(all) as [CheckName, CheckDefinition][]
  return definitions.flatMap(([check, { find }]) => {
    if (chosen[check] === false) return []
    return find(world, requests).map((found) => ({ check, ...found }))
  })
}
