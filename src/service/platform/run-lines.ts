import type { PlatformContext } from './context.js'
import { checkLimit } from './limits.js'
import { checkOffset } from './line-stream.js'
import { checkJsonObject, checkName } from './names.js'
import type { Author } from './platform-change.js'
import { RUN_STREAMS, type Run, type RunStream } from './run.js'
import { newLines, replaces, type RunLog, type WrittenLines } from './run-log.js'
import type { RunStates } from './run-states.js'
import { countSent, logBehindAll } from './run-writers.js'
import { lineKey, LINES_IN_CHUNK, type LineChunk } from './savable.js'

/** What programs log to runs: the lines of their streams, and their summaries. */
export class RunLines {
  readonly #context: PlatformContext
  readonly #states: RunStates

  constructor(context: PlatformContext, states: RunStates) {
    this.#context = context
    this.#states = states
  }

  /**
   * Takes what a program logs.
   *
   * @throws {PlatformError} When something of it is not allowed. Nothing changes.
   */
  log(run: Run, sent: RunLog, author: Author): void {
    const { writer } = sent
    if (writer !== undefined) this.#checkWriter(run, writer)
    const log = writer === undefined ? sent : logBehindAll(run, writer, sent)
    this.#check(run, log)
    if (writer !== undefined) countSent(run, writer, sent)
    const { offset: first, lines } = newLines(run, log.history)
    this.#take(run, log)
    if (lines.length > 0) {
      this.#context.report({ type: 'metrics_logged', run, first, lines }, author)
    }
    if (log.preempting) this.#states.set(run, 'preempting', author)
    if (log.complete) this.#states.finish(run, log.exitCode ?? 0, author)
  }

  #checkWriter(run: Run, writer: string): void {
    checkName('writer', writer)
    const added = run.writers.has(writer) ? 0 : 1
    checkLimit(this.#context.limits, 'writers', run.writers.size + added)
  }

  #check(run: Run, log: RunLog): void {
    const { limits, texts } = this.#context
    if (log.summary !== undefined) checkJsonObject('summary', log.summary)
    let more = log.summary === undefined ? 0 : log.summary.length - run.summary.length
    for (const stream of RUN_STREAMS) {
      const written = log[stream]
      if (!written) continue
      const { offset, lines } = written
      checkOffset(offset)
      checkLimit(limits, 'historyLines', offset + lines.length)
      more += run[stream].growth(offset, lines)
      // What is there will be gone.
      if (replaces(run, offset)) more -= run[stream].charactersFrom(lines.length)
    }
    texts.check(more)
  }

  #take(run: Run, log: RunLog): void {
    const { texts, now, changed } = this.#context
    const before = run.characters
    for (const stream of RUN_STREAMS) {
      const written = log[stream]
      if (written) this.#write(run, stream, written)
    }
    if (log.history || log.output) run.isReopened = false
    if (log.summary !== undefined) run.summary = log.summary
    texts.add(run.characters - before)
    run.heartbeatAt = now()
    changed('progress', run.id, run)
  }

  #write(run: Run, stream: RunStream, { offset, lines }: WrittenLines): void {
    const { length } = run[stream]
    const isNew = replaces(run, offset)
    if (isNew) run[stream].clear()
    run[stream].write(offset, lines)
    const from = Math.min(offset, length)
    const to = Math.max(offset + lines.length, isNew ? length : 0)
    this.#changed({ run, stream }, { from, to })
  }

  #changed(
    of: { readonly run: Run; readonly stream: RunStream },
    { from, to }: { from: number; to: number },
  ): void {
    const first = Math.floor(from / LINES_IN_CHUNK)
    for (let index = first; index * LINES_IN_CHUNK < to; index++) {
      const chunk = { ...of, index }
      this.#context.changed('lines', lineKey(chunk), chunk)
    }
  }

  /** Adds the lines of a chunk of a saved world. Null: nobody wrote that place. */
  restore({ run, stream, index }: LineChunk, lines: readonly (string | null)[]): void {
    for (const [at, line] of lines.entries()) {
      const place = index * LINES_IN_CHUNK + at
      if (line === null) run[stream].write(place + 1, [])
      else run[stream].write(place, [line])
    }
  }

  /** Removes the lines of a run. */
  clear(run: Run): void {
    for (const stream of RUN_STREAMS) {
      const { length } = run[stream]
      run[stream].clear()
      this.#changed({ run, stream }, { from: 0, to: length })
    }
  }
}
