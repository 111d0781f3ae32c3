import type { EndedExchange } from '../../../tools/recording/proxied-exchange.js'
import { createRecordingFile, type RecordingFile } from '../../../tools/recording/recording-file.js'
import { counted } from '../../../base/text/counted.js'
import { toIso } from '../../../base/text/iso.js'
import type { LogFormat } from '../../options/serve.js'
import {
  colorOf,
  type Output,
  type Paint,
  printable,
  printableJson,
  type Terminal,
} from '../../terminal.js'
import { wrapped } from '../../text-width.js'
import { UsageError } from '../../usage-error.js'

/**
 * Returns the value of an option that a recording needs.
 *
 * @throws {UsageError} When it was not given.
 */
export function needed(name: string, value: string | undefined): string {
  if (value !== undefined) return value
  throw new UsageError(
    `record needs --${name}, which was not given. For example: svtrain-emulator record --to recording --training-url https://api.example.com/v1`,
  )
}

/**
 * Creates the file of a recording.
 *
 * @throws {RecordingError} When the file cannot be created.
 */
export function createFile(to: string, { writeError }: Terminal): RecordingFile {
  const file: RecordingFile = createRecordingFile(to, ({ message }) =>
    writeError(
      printable(
        `The recording ends here: ${file.path} cannot be written (${message}). Calls are still passed on, but no longer recorded. Make room, and record again into another folder.`,
      ),
    ),
  )
  return file
}

/** Shows each request that ended. */
export function logger(
  log: LogFormat,
  { write, paint, columns }: Output,
): (ended: EndedExchange) => void {
  if (log === 'silent') return () => {}
  if (log === 'json') {
    return ({ at, took, ...rest }) =>
      write(printableJson({ kind: 'request', time: toIso(at), ...rest, took: rounded(took) }))
  }
  return (ended) => {
    for (const line of linesFor(ended, paint)) wrapped(line, columns?.(), 14).forEach(write)
  }
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
}

/** The lines of a request, in the form of the log of the emulator. */
function linesFor(ended: EndedExchange, paint: Paint): string[] {
  const { at, host, method, path, query, status, how, took, detail } = ended
  const [, time = ''] = toIso(at).split(/[T.]/)
  const color = colorOf(how === 'lost' ? 500 : (status ?? 0))
  const target = printable(query === '' ? path : `${path}?${query}`)
  const where = host === 'inference' ? ' (inference)' : ''
  const outcome = { complete: '', lost: ' connection lost', client_left: ' client left' }[how]
  const shown = outcome === '' ? '' : paint('red', outcome)
  const first = `${method} ${target}${where}${shown} ${paint('gray', `${took.toFixed(1)} ms`)}`
  const lines = [`${paint('gray', time)}  ${paint(color, String(status ?? '---'))} ${first}`]
  if (detail !== undefined && detail !== '')
    lines.push(`${' '.repeat(14)}${paint(color, printable(detail))}`)
  return lines
}

interface SummaryOptions {
  /** The folder of the recording. */
  readonly to: string
  readonly log: LogFormat
  readonly program: string
  /** What to say if nothing was recorded. */
  readonly none: string
}

/** Counts for the last lines. */
export class Summary {
  #requests = 0
  #jobs = 0
  #refused = 0
  #lost = 0

  add({ method, path, status, how }: EndedExchange): void {
    this.#requests++
    if (how === 'lost') this.#lost++
    if (status === undefined) return
    if (status >= 400) this.#refused++
    const isJob = /\/(?:sft-)?training-jobs\/?$/.test(path)
    if (method === 'POST' && isJob && status < 300) this.#jobs++
  }

  /** How many requests ended. */
  get requests(): number {
    return this.#requests
  }

  lines(file: RecordingFile, { to, log, program, none }: SummaryOptions): string[] {
    const counts = {
      requests: this.#requests,
      jobs: this.#jobs,
      refused: this.#refused,
      lost: this.#lost,
    }
    if (log === 'json') {
      return [printableJson({ kind: 'end', ...counts, file: file.path, bytes: file.size })]
    }
    const parts = [
      counted(this.#requests, 'request'),
      ...(this.#jobs > 0 ? [counted(this.#jobs, 'job')] : []),
      ...(this.#refused > 0 ? [`${this.#refused} refused`] : []),
      ...(this.#lost > 0 ? [`${this.#lost} lost`] : []),
    ]
    const incomplete = file.error ? ' The recording is incomplete.' : ''
    return [
      printable(`${parts.join(', ')}; recording.ndjson ${formatSize(file.size)}.${incomplete}`),
      ...(this.#requests === 0 ? [none] : [printable(`Next: ${program} scenarios from ${to}`)]),
    ]
  }
}

function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB']
  return `${size.toFixed(1)} ${unit}`
}
