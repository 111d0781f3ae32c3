import type { RecordedDifference } from '../../tools/drift/check-recording.js'
import { counted } from '../../base/text/counted.js'
import { driftFailure } from '../failure/drift.js'
import type { Difference, Severity } from '../../tools/drift/difference.js'
import type { DriftReport } from '../../tools/drift/report.js'
import { printable, type Output } from '../terminal.js'
import { wrapped } from '../text-width.js'

const COLORS = { breaking: 'red', additive: 'yellow', cosmetic: 'gray' } as const
const SEVERITIES: readonly Severity[] = ['breaking', 'additive', 'cosmetic']

/** How many places of one cause are listed. */
const MOST_PLACES = 4

/** Formats what `drift` found for people. */
export function driftLines(report: DriftReport, { paint, columns }: Output): string[] {
  const { compared, recorded, differences, stale } = report
  const open = differences.filter(({ allowed }) => allowed === undefined)
  const lines: string[] = []
  if (compared) {
    lines.push(
      `Compared ${printable(compared.label)} with the ${compared.api} API of the emulator: ${counted(compared.shared, 'operation')} in both.`,
    )
  }
  if (compared?.shared === 0) {
    lines.push(
      'No operation is in both. Is it the document of this service, and does "servers" have its base path?',
    )
  }
  if (recorded) {
    const skipped =
      recorded.skipped === 0 ? '' : ` (${recorded.skipped} streams or incomplete ones were not)`
    lines.push(`Checked ${counted(recorded.responses, 'recorded response')}${skipped}.`)
  }
  for (const severity of SEVERITIES) {
    const group = open.filter((each) => each.severity === severity)
    for (const [first, ...others] of byCause(group)) {
      const { reason = '' } = driftFailure(first!)
      const text = `  ${capital(reason)}${timesOf(first!)}`
      lines.push('', `${paint(COLORS[severity], severity)}  ${printable(first!.id)}`)
      lines.push(...wrapped(printable(text), columns?.(), 2))
      lines.push(...others.slice(0, MOST_PLACES).map((other) => printable(`  also ${other.id}`)))
      const more = others.length - MOST_PLACES
      if (more > 0) lines.push(`  also in ${counted(more, 'more place')}: --json lists them`)
    }
  }
  if (stale.length > 0) {
    lines.push('', 'These entries of the allow list match no difference any more:')
    lines.push(...stale.map(({ id }) => printable(`  ${id}`)))
  }
  lines.push(
    ...(open.length + stale.length > 0 ? [''] : []),
    summaryOf(open, differences.length - open.length),
  )
  return lines
}

function timesOf(difference: Difference | RecordedDifference): string {
  if (!('count' in difference)) return ''
  const { count, request } = difference
  return ` Seen in ${counted(count, 'response')}, first in that of request ${request}.`
}

/** Differences with one cause together, in the order of the first of each. */
function byCause(differences: readonly Difference[]): Difference[][] {
  const groups = new Map<string, Difference[]>()
  for (const difference of differences) {
    const key = difference.origin ?? difference.id
    const group = groups.get(key)
    if (group) group.push(difference)
    else groups.set(key, [difference])
  }
  return [...groups.values()]
}

function summaryOf(open: readonly Difference[], allowed: number): string {
  const counts = SEVERITIES.map((severity) => ({
    severity,
    count: open.filter((each) => each.severity === severity).length,
  })).filter(({ count }) => count > 0)
  const text = counts.map(({ severity, count }) => `${count} ${severity}`).join(', ')
  const accepted = allowed === 0 ? '' : ` (${allowed} allowed)`
  return text === '' ? `No drift${accepted}.` : `Drift: ${text}${accepted}.`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
