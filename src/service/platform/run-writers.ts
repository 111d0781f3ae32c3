import { checkOffset } from './line-stream.js'
import { checkJsonObject } from './names.js'
import { RUN_STREAMS, type Run, type RunFacts, type RunStream } from './run.js'
import type { RunLog, WrittenLines } from './run-log.js'
import { rowOf } from './run-row.js'

/** What one of several programs logs, behind what all have logged. What it sends again counts once. */
export function logBehindAll(run: Run, writer: string, log: RunLog): RunLog {
  const known = run.writers.get(writer)
  const placed = RUN_STREAMS.map((stream) => {
    return [stream, placedLines(run, stream, { known: known?.[stream], sent: log[stream] })]
  })
  const summary = mergedJson('summary', run, log)
  return { ...log, ...Object.fromEntries(placed), summary }
}

/** The lines of a program that a stream does not have yet, with their place behind those of all programs. */
function placedLines(
  run: Run,
  stream: RunStream,
  { known = 0, sent }: { known?: number | undefined; sent: WrittenLines | undefined },
): WrittenLines | undefined {
  if (!sent) return undefined
  checkOffset(sent.offset)
  const offset = run[stream].length
  const lines = sent.lines.slice(Math.max(0, known - sent.offset))
  if (stream !== 'history') return { offset, lines }
  return { offset, lines: lines.map((line, index) => withStep(line, offset + index)) }
}

/** Counts what one of several programs has sent. */
export function countSent(run: Run, writer: string, log: RunLog): void {
  const before = run.writers.get(writer)
  const sent = (stream: RunStream): number => {
    const { offset = 0, lines = [] } = log[stream] ?? {}
    return Math.max(before?.[stream] ?? 0, lines.length > 0 ? offset + lines.length : 0)
  }
  const counts = { history: sent('history'), events: sent('events'), output: sent('output') }
  run.writers.set(writer, counts)
}

/** What one program says about a run, with what the others said that share it. */
export function mergedFacts(run: Run, facts: RunFacts): RunFacts {
  return {
    ...facts,
    config: mergedJson('config', run, facts),
    summary: mergedJson('summary', run, facts),
  }
}

/** Merges two JSON objects by key: the one that is said later wins. Undefined: there is none. */
function mergedJson(
  name: 'config' | 'summary',
  run: Run,
  { [name]: said }: Pick<RunFacts, 'config' | 'summary'>,
): string | undefined {
  if (said === undefined) return undefined
  checkJsonObject(name, said)
  return JSON.stringify({ ...rowOf(run[name]), ...rowOf(said) })
}

/** A row of a history with its step. Programs that share a run do not know it: they send none, or count their own. */
function withStep(row: string, step: number): string {
  const values = rowOf(row)
  if (!values) return row
  const own = { _step: step }
  if (Object.hasOwn(values, '_step')) return JSON.stringify({ ...own, ...values, ...own })
  return row.replace(/^\s*\{\s*(\}?)/, (_, end: string) => `{"_step":${step}${end || ','}`)
}
