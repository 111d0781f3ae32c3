import { inspect } from 'node:util'
import type {
  DeliveryEntry,
  JobEntry,
  JournalEntry,
  JournalListener,
  ReceiptEntry,
  RequestEntry,
} from '../engine/journal.js'
import { toIso } from '../text/iso.js'
import type { LogFormat } from './options.js'
import { type Paint, printable, printableJson, printableLines, type Terminal } from './terminal.js'

/** Returns a listener that logs the journal: each request, its effects, and the events of jobs. */
export function requestLog(
  format: LogFormat,
  { write, paint, statusArea }: Pick<Terminal, 'write' | 'paint' | 'statusArea'>,
): JournalListener {
  if (format === 'silent') return () => {}
  if (format === 'json') return (entry) => write(printableJson(plain(entry)))
  return (entry) => {
    // The status area shows each step.
    if (statusArea && entry.kind === 'job' && entry.event === 'gradient_step') return
    linesFor(entry, paint).forEach(write)
  }
}

function plain({ at, ...entry }: JournalEntry): unknown {
  if (entry.kind !== 'request') return { time: toIso(at), ...entry }
  const { took = 0, fault, ...request } = entry
  const failure =
    fault === undefined ? {} : { fault: fault instanceof Error ? String(fault) : inspect(fault) }
  return { time: toIso(at), ...request, took: Math.round(took * 1000) / 1000, ...failure }
}

function linesFor(entry: JournalEntry, paint: Paint): string[] {
  if (entry.kind === 'request') return requestLines(entry, paint)
  if (entry.kind === 'job') return [jobLine(entry, paint)]
  if (entry.kind === 'delivery') return [deliveryLine(entry, paint)]
  if (entry.kind === 'receipt') return [receiptLine(entry, paint)]
  return [paint('gray', printable(entry.text))]
}

function requestLines(entry: RequestEntry, paint: Paint): string[] {
  const { method, path, query, took = 0, effects, detail, hint, fault } = entry
  const target = printable(query === '' ? path : `${path}?${query}`)
  const first = [
    `${method} ${target} ${statusOf(entry, paint)} ${took.toFixed(1)} ms`,
    ...(detail === undefined ? [] : [printable(detail)]),
    ...(hint === undefined ? [] : [paint('gray', `(${printable(hint)})`)]),
  ]
  const lines = [first.join(' ')]
  for (const effect of effects) lines.push(`  ${paint('gray', '→')} ${printable(effect)}`)
  if (fault !== undefined) {
    const failed = `  The emulator failed to answer this; please report it. ${inspect(fault)}`
    lines.push(paint('red', printableLines(failed)))
  }
  return lines
}

function statusOf({ status, lost }: RequestEntry, paint: Paint): string {
  if (lost === undefined) return paint(colorOf(status ?? 0), String(status ?? 0))
  if (status !== undefined) return paint('red', `${status}, stopped half-way`)
  return paint('red', lost === 'hang' ? 'no answer' : 'dropped')
}

function colorOf(status: number): 'red' | 'yellow' | 'green' {
  if (status >= 500) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}

function jobLine({ modelName, jobId, event, text }: JobEntry, paint: Paint): string {
  const name = `${printable(modelName)} ${jobId.slice(0, 8)}`
  const shown = printable(text)
  return `  ${paint('gray', '·')} ${name} ${event === 'training_failed' ? paint('red', shown) : shown}`
}

function deliveryLine({ text, error }: DeliveryEntry, paint: Paint): string {
  const shown = printable(text)
  return `  ${paint('gray', '⇢')} ${error === undefined ? shown : paint('red', shown)}`
}

function receiptLine({ text, verdict }: ReceiptEntry, paint: Paint): string {
  const shown = printable(text)
  return `  ${paint('gray', '⇠')} ${verdict === 'valid' ? shown : paint('red', shown)}`
}
