import type { JobEntry, JournalEntry, JournalListener, RequestEntry } from '../engine/journal.js'
import { toIso } from '../world/clock.js'
import type { LogFormat } from './flags.js'
import type { Paint } from './paint.js'

/** Writes the journal down as it grows: each request, what it led to, and what jobs do since. */
export function requestLog(
  format: LogFormat,
  { write, paint }: { write: (line: string) => void; paint: Paint },
): JournalListener {
  if (format === 'silent') return () => {}
  if (format === 'json') return (entry) => write(JSON.stringify(plain(entry)))
  return (entry) => linesFor(entry, paint).forEach(write)
}

function plain({ at, ...entry }: JournalEntry): unknown {
  if (entry.kind !== 'request') return { time: toIso(at), ...entry }
  const { took = 0, fault, ...request } = entry
  const failure = fault === undefined ? {} : { fault: String(fault) }
  return { time: toIso(at), ...request, took: Math.round(took * 1000) / 1000, ...failure }
}

function linesFor(entry: JournalEntry, paint: Paint): string[] {
  if (entry.kind === 'request') return requestLines(entry, paint)
  if (entry.kind === 'job') return [jobLine(entry, paint)]
  return [paint('gray', entry.text)]
}

function requestLines(entry: RequestEntry, paint: Paint): string[] {
  const { method, path, query, status = 0, took = 0, effects, hint, fault } = entry
  const colour = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green'
  const target = printable(query === '' ? path : `${path}?${query}`)
  const first = `${method} ${target} ${paint(colour, String(status))} ${took.toFixed(1)} ms`
  const lines = [hint === undefined ? first : `${first} ${paint('gray', `(${printable(hint)})`)}`]
  for (const effect of effects) lines.push(`  ${paint('gray', '→')} ${printable(effect)}`)
  if (fault !== undefined) {
    const told = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)
    lines.push(paint('red', `  The emulator failed to answer this; please report it. ${told}`))
  }
  return lines
}

function jobLine({ modelName, jobId, event, text }: JobEntry, paint: Paint): string {
  const name = `${printable(modelName)} ${jobId.slice(0, 8)}`
  const told = printable(text)
  return `  ${paint('gray', '·')} ${name} ${event === 'training_failed' ? paint('red', told) : told}`
}

/** What clients send must not steer the terminal: control characters are shown, not obeyed. */
function printable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (unit) => {
    return `\\x${unit.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
}
