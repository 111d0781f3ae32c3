import { urlsOf, type Listening } from '../../emulator/adapters/listen.js'
import type { EndedExchange } from '../../tools/recording/proxied-exchange.js'
import { RecordingProxy } from '../../tools/recording/proxy.js'
import { Recorder } from '../../tools/recording/recorder.js'
import { createRecordingFile, type RecordingFile } from '../../tools/recording/recording-file.js'
import { counted } from '../../base/text/counted.js'
import { toIso } from '../../base/text/iso.js'
import { version } from '../../base/text/version.js'
import { assignmentFor } from '../banner.js'
import type { Run } from '../command.js'
import type { record } from '../commands/record.js'
import type { LogFormat } from '../options/serve.js'
import { listenSomewhere } from '../ports.js'
import { prepareReadyFile } from '../ready-file.js'
import { interruption, type Paint, printable, printableJson, type Terminal } from '../terminal.js'
import { wrapped } from '../text-width.js'
import { UsageError } from '../usage-error.js'

/**
 * Records until it is interrupted.
 *
 * @throws {ListenError} When it cannot listen on a port.
 * @throws {RecordingError} When the file cannot be created.
 * @throws {UsageError} When an option is missing.
 */
export const runCommand: Run<typeof record> = async (args, { terminal, environment, program }) => {
  const to = needed('to', args.to)
  const trainingUrl = serviceUrl('training-url', needed('training-url', args['training-url']))
  const inferenceUrl = serviceUrl('inference-url', args['inference-url'] ?? trainingUrl)
  const { contents = false, log = 'pretty' } = args
  const stopped = interruption()
  const readyFile = prepareReadyFile(args['ready-file'])
  const file = createRecordingFile(to, ({ message }) =>
    terminal.writeError(
      printable(
        `The recording ends here: ${file.path} cannot be written (${message}). Calls are still passed on, but no longer recorded. Make room, and record again into another folder.`,
      ),
    ),
  )
  const recorder = new Recorder({
    write: file.write,
    trainingUrl,
    inferenceUrl,
    contents,
    failed: (text) => terminal.writeError(printable(text)),
  })
  const summary = new Summary()
  const logged = logger(log, terminal)
  const proxy = new RecordingProxy({
    recorder,
    trainingUrl,
    inferenceUrl,
    ended(exchange) {
      summary.add(exchange)
      logged(exchange)
    },
  })
  let isReady = false
  try {
    const listening = await listenSomewhere(proxy, {
      port: args.port,
      inferencePort: args['inference-port'],
      allowedHosts: args['allow-host'] ?? [],
      corsOrigins: args.cors ?? [],
      refused: ({ request, status, message }) =>
        terminal.writeError(printable(`${request} was refused with ${status}: ${message}`)),
    })
    const urls = { trainingUrl, inferenceUrl }
    isReady = true
    const own = ownUrls(listening, urls)
    const entry = { kind: 'ready', ...own, pid: process.pid, file: file.path, contents }
    readyFile.write({ ...entry, version, variables: variablesOf(own) })
    announce({ entry, urls, log, environment, terminal })
    await stopped
  } finally {
    readyFile.remove()
    await proxy.close()
    if (isReady) file.close()
    else file.remove()
  }
  if (log !== 'silent')
    for (const line of summary.lines(file, { to, log, program })) terminal.write(line)
  return file.error ? 1 : 0
}

function needed(name: string, value: string | undefined): string {
  if (value !== undefined) return value
  throw new UsageError(
    `record needs --${name}, which was not given. For example: svtrain-emulator record --to recording --training-url https://api.example.com/v1`,
  )
}

function serviceUrl(name: string, written: string): string {
  const url = new URL(written)
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      `--${name} takes a URL without user and password. Your client sends the credentials, and they are passed on.`,
    )
  }
  if (url.search !== '' || url.hash !== '') {
    throw new UsageError(
      `--${name} takes a base URL without ? and #, not "${url.origin}${url.pathname}…".`,
    )
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

interface Urls {
  trainingUrl: string
  inferenceUrl: string
}

/** The URLs of the proxy, with the paths of those of the service. */
function ownUrls(listening: Listening, service: Urls): Urls {
  const { training, inference } = urlsOf(listening)
  const pathOf = (url: string): string => new URL(url).pathname.replace(/\/$/, '')
  return {
    trainingUrl: training + pathOf(service.trainingUrl),
    inferenceUrl: inference + pathOf(service.inferenceUrl),
  }
}

/** The variables to set for a client. */
function variablesOf({ trainingUrl, inferenceUrl }: Urls): Record<string, string> {
  return { SVTRAIN_BASE_URL: trainingUrl, SVTRAIN_INFERENCE_URL: inferenceUrl }
}

interface Announcement {
  entry: Urls & { file: string; contents: boolean }
  /** Of the service. */
  urls: Urls
  log: LogFormat
  environment: Readonly<Record<string, string | undefined>>
  terminal: Terminal
}

function announce(announcement: Announcement): void {
  const { entry, urls, log, environment, terminal } = announcement
  const { trainingUrl: training, inferenceUrl: inference, file, contents } = entry
  const { write, paint, columns } = terminal
  if (log === 'silent') return
  if (log === 'json') return write(printableJson(entry))
  const assign = assignmentFor(process.platform, environment)
  write(`Training API    ${paint('cyan', training)} → ${printable(urls.trainingUrl)}`)
  write(`Inference API   ${paint('cyan', inference)} → ${printable(urls.inferenceUrl)}`)
  write(`Recording to    ${printable(file)}`)
  write('')
  write('Set these variables for your client:')
  for (const each of Object.entries(variablesOf(entry))) write(`  ${assign(...each)}`)
  write('')
  const notes = contents
    ? ['Contents of messages are recorded. Keys are not.']
    : ['Keys and contents of messages are not recorded. --contents records the contents.']
  if (urls.inferenceUrl === urls.trainingUrl) {
    notes.push('No --inference-url: both ports pass calls on to the training API.')
  }
  for (const note of notes.flatMap((each) => wrapped(each, columns?.(), 0))) {
    write(paint('yellow', note))
  }
  write('Ready. Stop with Ctrl-C.')
}

function logger(
  log: LogFormat,
  { write, paint, columns }: Terminal,
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

function colorOf(status: number): 'red' | 'yellow' | 'green' {
  if (status >= 500) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}

/** Counts for the last lines. */
class Summary {
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

  lines(
    file: RecordingFile,
    { to, log, program }: { to: string; log: LogFormat; program: string },
  ): string[] {
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
      ...(this.#requests === 0
        ? ['No client called. Set the variables above for your client.']
        : [printable(`Next: ${program} scenarios from ${to}`)]),
    ]
  }
}

function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB']
  return `${size.toFixed(1)} ${unit}`
}
