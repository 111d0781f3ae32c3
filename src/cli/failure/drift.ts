import { counted } from '../../base/text/counted.js'
import type { DriftReport } from '../report/drift-lines.js'
import type { JunitCase, JunitSuite } from './junit.js'

interface DriftResult {
  readonly report: DriftReport
  /** Whether all differences were written into the allow list. */
  readonly accepted: boolean
}

/** The test cases of a comparison: one for each part that was read, and one for each difference. */
export function driftSuite(
  result: DriftResult | { readonly error: Error },
): Omit<JunitSuite, 'took'> {
  const name = 'svtrain-emulator drift'
  if ('error' in result) {
    const { message } = result.error
    const error = { message: message.split('\n')[0]!, type: 'unreadable', text: message }
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
    ...differences.map(({ id, severity, what, who, allowed }): JunitCase => {
      if (allowed) return { name: id, skipped: `Allowed: ${allowed.reason ?? 'no reason given'}` }
      if (accepted) return { name: id, skipped: 'Written into the allow list' }
      return {
        name: id,
        failure: { message: what, type: severity, text: `${what}. Who notices: ${who}.` },
      }
    }),
    ...stale.map(({ id }) => {
      return { name: id, skipped: 'This entry of the allow list matches no difference any more' }
    }),
  ]
  return { name, properties: compared ? { api: compared.api } : {}, cases }
}
