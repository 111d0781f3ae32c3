import { jobCreations } from '../../../service/contract/operation-names.js'
import { operationAt } from '../../../tools/recording/exchanges.js'
import type { EndedExchange } from '../../../tools/recording/proxied-exchange.js'
import { createRecordingFile, type RecordingFile } from '../../../tools/recording/recording-file.js'
import { Recorder, type RecorderOptions } from '../../../tools/recording/recorder.js'
import { counted } from '../../../base/text/counted.js'
import { RECORDING_FILE } from '../../../base/text/evidence.js'
import { toIso } from '../../../base/text/iso.js'
import type { LogFormat } from '../../options/serve.js'
import { shellWord } from '../../shell-word.js'
import {
  colorOf,
  type Output,
  type Paint,
  printable,
  printableJson,
  type Terminal,
} from '../../terminal.js'
import { wrapped } from '../../text-width.js'

interface RecordingSettings extends Omit<RecorderOptions, 'write' | 'failed'> {
  /** The folder of the recording. */
  readonly to: string
  readonly log: LogFormat
  readonly terminal: Terminal
  /** Where the log and the last lines go. */
  readonly output: Output
}

/** What `record` writes, and what it says about it. */
export class CommandRecording {
  readonly file: RecordingFile
  readonly recorder: Recorder
  readonly #settings: RecordingSettings
  readonly #counts = { requests: 0, jobs: 0, refused: 0, lost: 0, client_left: 0 }
  readonly #logged: (ended: EndedExchange) => void
  /** Whether a part of a call is not in the file, which stderr has named. */
  isIncomplete = false

  /** @throws {RecordingError} When the file cannot be created. */
  constructor(settings: RecordingSettings) {
    const { to, log, terminal, output, ...options } = settings
    this.#settings = settings
    const failed = (text: string): void => {
      this.isIncomplete = true
      terminal.writeError(printable(text))
    }
    this.file = createRecordingFile(to, ({ message }) =>
      failed(
        `The recording ends here: ${this.file.path} cannot be written (${message}). Calls are still passed on, but no longer recorded. Make room, and record again into another folder.`,
      ),
    )
    this.recorder = new Recorder({ ...options, write: this.file.write, failed })
    this.#logged = logger(log, output)
  }

  /** How many requests ended. */
  get requests(): number {
    return this.#counts.requests
  }

  /** Takes an exchange that has ended. */
  readonly ended = (exchange: EndedExchange): void => {
    const { status = 0, how } = exchange
    const isJob = jobCreations.includes(operationAt(exchange)?.operation ?? '')
    this.#counts.requests++
    if (how === 'lost' || how === 'unreached') this.#counts.lost++
    if (how === 'client_left') this.#counts.client_left++
    if (status >= 400) this.#counts.refused++
    if (isJob && status > 0 && status < 300) this.#counts.jobs++
    this.#logged(exchange)
  }

  /**
   * Writes the last lines.
   *
   * @param none What to say if nothing was recorded.
   */
  summarize({ program, none }: { program: string; none: string }): void {
    const { to, log, output } = this.#settings
    const { path, size } = this.file
    const { requests, jobs, refused, lost, client_left: left } = this.#counts
    if (log === 'json') {
      const written = requests > 0 && { file: path, bytes: size }
      return output.write(printableJson({ kind: 'end', ...this.#counts, ...written }))
    }
    const parts = [
      counted(requests, 'request'),
      ...(jobs > 0 ? [counted(jobs, 'job')] : []),
      ...(refused > 0 ? [`${refused} refused`] : []),
      ...(lost > 0 ? [`${lost} lost`] : []),
      ...(left > 0 ? [`${left} left by the client`] : []),
    ]
    const incomplete = this.isIncomplete ? ' The recording is incomplete.' : ''
    const written = `${RECORDING_FILE} ${formatSize(size)}`
    output.write(printable(`${parts.join(', ')}; ${written}.${incomplete}`))
    const next = `Next: ${program} scenarios from ${shellWord(to)} --to incident.yaml`
    output.write(requests === 0 ? none : printable(next))
  }
}

/** Shows each request that ended. */
function logger(log: LogFormat, { write, paint, columns }: Output): (ended: EndedExchange) => void {
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
  const color = colorOf(how === 'lost' || how === 'unreached' ? 500 : (status ?? 0))
  const target = printable(query === '' ? path : `${path}?${query}`)
  const where = host === 'inference' ? ' (inference)' : ''
  const outcome = OUTCOMES[how]
  const shown = outcome === '' ? '' : paint('red', outcome)
  const first = `${method} ${target}${where}${shown} ${paint('gray', `${took.toFixed(1)} ms`)}`
  const lines = [`${paint('gray', time)}  ${paint(color, String(status ?? '---'))} ${first}`]
  if (detail !== undefined && detail !== '')
    lines.push(`${' '.repeat(14)}${paint(color, printable(detail))}`)
  return lines
}

const OUTCOMES: Readonly<Record<EndedExchange['how'], string>> = {
  complete: '',
  lost: ' connection lost',
  unreached: ' service not reached',
  client_left: ' client left',
}

function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB']
  return `${size.toFixed(1)} ${unit}`
}
