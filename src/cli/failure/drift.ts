import { counted } from '../../base/text/counted.js'
import type { Difference } from '../../tools/drift/difference.js'
import type { DriftReport } from '../../tools/drift/report.js'
import type { Failure } from './failure.js'
import type { JunitCase, JunitSuite } from './junit.js'

interface DriftResult {
  readonly report: DriftReport
  /** Whether all differences were written into the allow list. */
  readonly accepted: boolean
}

/** A difference that nobody allowed. */
export function driftFailure({ what, severity, who }: Difference): Failure {
  return { title: what, kind: severity, reason: `${what}. Who notices: ${who}.` }
}

/** The test cases of a comparison: one for each part that was read, and one for each difference. */
export function driftSuite(
  result: DriftResult | { readonly error: Error },
): Omit<JunitSuite, 'took'> {
  const name = 'svtrain-emulator drift'
  if ('error' in result) {
    const { message } = result.error
    const error = { title: message.split('\n')[0]!, kind: 'unreadable', reason: message }
    return { name, properties: {}, cases: [{ name: 'compare', error }] }
  }
  const { report, accepted } = result
  const { compared, recorded, differences, stale } = report
  const cases: JunitCase[] = [
    ...(compared
      ? [{ name: `${compared.label}: ${counted(compared.shared, 'operation')} compared` }]
      : []),
    ...(recorded
      ? [{ name: `recording: ${counted(recorded.responses, 'response')} checked` }]
      : []),
    ...differences.map((difference): JunitCase => {
      const { id, allowed } = difference
      if (allowed) return { name: id, skipped: `Allowed: ${allowed.reason ?? 'no reason given'}` }
      if (accepted) return { name: id, skipped: 'Written into the allow list' }
      return { name: id, failure: driftFailure(difference) }
    }),
    ...stale.map(({ id }) => {
      return { name: id, skipped: 'This entry of the allow list matches no difference any more' }
    }),
  ]
  return { name, properties: compared ? { api: compared.api } : {}, cases }
}
