import { urlsOf } from '../../../emulator/adapters/port-url.js'
import type { Listening } from '../../../emulator/adapters/listen.js'
import { RecordingProxy } from '../../../tools/recording/proxy.js'
import { version } from '../../../base/text/version.js'
import { assignmentFor } from '../../banner.js'
import type { Run } from '../../command.js'
import type { record } from './record.js'
import type { LogFormat } from '../../options/serve.js'
import { listenSomewhere } from '../../ports.js'
import { prepareReadyFile } from '../../ready-file.js'
import { interruption, printable, printableJson, type Terminal } from '../../terminal.js'
import { wrapped } from '../../text-width.js'
import { recordCommand } from './record-program.js'
import { needed } from './needed-option.js'
import { CommandRecording } from './recording-output.js'
import { missingPath, serviceUrl } from '../../run/service-url.js'

const NO_CLIENT = 'No client called. Set the variables above for your client.'

/**
 * Records until it is interrupted, or until a command ends.
 *
 * @throws {ListenError} When it cannot listen on a port.
 * @throws {RecordingError} When the file cannot be created.
 * @throws {UsageError} When an option is missing.
 */
export const runCommand: Run<typeof record> = async (args, context) => {
  const isForCommand = args.intercept ?? args['allow-host-out'] ?? args['--']?.[0]
  if (isForCommand !== undefined) return recordCommand(args, context)
  const { terminal, environment, program } = context
  const to = needed('to', args.to)
  const trainingUrl = serviceUrl('training-url', needed('training-url', args['training-url']))
  const inferenceUrl = serviceUrl('inference-url', args['inference-url'] ?? trainingUrl)
  const { contents = false, log = 'pretty' } = args
  const stopped = interruption()
  const readyFile = prepareReadyFile(args['ready-file'])
  const recording = new CommandRecording({
    to,
    log,
    terminal,
    output: terminal,
    trainingUrl,
    inferenceUrl,
    contents,
  })
  const { file, recorder, ended } = recording
  const proxy = new RecordingProxy({ recorder, trainingUrl, inferenceUrl, ended })
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
    const warnings = [
      ...missingPath('training-url', trainingUrl),
      ...(args['inference-url'] ? missingPath('inference-url', inferenceUrl) : []),
    ]
    for (const each of warnings) terminal.writeError(printable(each))
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
  if (log !== 'silent') recording.summarize({ program, none: NO_CLIENT })
  return recording.isIncomplete ? 1 : 0
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
