import { openWebhookSink, WebhookSink, type WebhookSinkOptions } from '../../compose/create-sink.js'
import { formatProbe, type Probe } from '../../webhooks/sink/probe.js'
import type { ReceivedDelivery } from '../../webhooks/sink/received-delivery.js'
import { prepareReadyFile } from '../ready-file.js'
import {
  interruption,
  type Paint,
  printable,
  printableJson,
  printableLines,
  type Terminal,
} from '../terminal.js'
import { counted } from '../../base/text/counted.js'
import { toIso } from '../../base/text/iso.js'
import { makeFolderOf } from '../write-in-folder.js'
import { version } from '../../base/text/version.js'
import { wrapped } from '../text-width.js'
import { sinkListensSomewhere } from '../ports.js'
import type { Run } from '../command.js'
import type { sink } from '../commands/sink.js'

/**
 * Receives webhooks until it is interrupted.
 *
 * @throws {ListenError} When it cannot listen on the port.
 */
export const runCommand: Run<typeof sink> = async (args, { terminal }) => {
  const { secret = [], to: out, fsync, log = 'pretty' } = args
  const options: WebhookSinkOptions = {
    secrets: secret,
    token: args.token,
    header: args.header,
    encoding: args.encoding,
    prefix: args.prefix,
    strict: args.strict,
    forwardTo: args['forward-to'],
    // Deliveries go to the file and the log. Here they only serve to find duplicates.
    capacity: 1000,
  }
  const readyFile = prepareReadyFile(args['ready-file'])
  const opened = await openSink(options, { out, fsync, terminal })
  if (opened === undefined) return 1
  const stopped = interruption()
  opened.subscribe(logger(log, terminal))
  opened.subscribeToProbes(probeLogger(log, terminal))
  opened.subscribeToErrors((text) => terminal.writeError(printableLines(text)))
  await sinkListensSomewhere(opened, {
    port: args.port,
    host: args.host ?? '127.0.0.1',
    allowedHosts: args['allow-host'] ?? [],
    refused: ({ request, status, message }) =>
      terminal.writeError(printable(`${request} was refused with ${status}: ${message}`)),
  })
  const entry = { kind: 'ready', url: opened.url, pid: process.pid, out }
  readyFile.write({ ...entry, version, sinkUrl: opened.url })
  announce(entry, { log, unverified: secret.length === 0, terminal })
  await stopped
  readyFile.remove()
  await opened.close()
  return 0
}

interface Opening {
  out: string | undefined
  fsync: boolean | undefined
  terminal: Terminal
}

async function openSink(
  options: WebhookSinkOptions,
  { out, fsync, terminal }: Opening,
): Promise<WebhookSink | undefined> {
  if (out === undefined) return new WebhookSink(options)
  try {
    const also = await makeFolderOf(out)
    if (also !== '') terminal.writeError(also.trim())
    const opened = await openWebhookSink({ ...options, out, fsync })
    const { torn } = opened
    if (torn > 0) {
      terminal.writeError(
        `${printable(out)} ended with ${counted(torn, 'byte')} of an incomplete record, which was never acknowledged. It was removed.`,
      )
    }
    return opened
  } catch (error) {
    terminal.writeError(printable(`Failed to open ${out}: ${(error as Error).message}.`))
    return undefined
  }
}

interface Announcement {
  log: string
  unverified: boolean
  terminal: Terminal
}

function announce(
  entry: { url: string; out: string | undefined },
  { log, unverified, terminal }: Announcement,
): void {
  const { url, out } = entry
  const { write, paint } = terminal
  if (log === 'silent') return
  if (log === 'json') return write(printableJson(entry))
  write(`Webhook sink at ${paint('cyan', url)}, at any path`)
  if (out !== undefined) write(`Recording to ${printable(out)}`)
  if (unverified) write(paint('yellow', 'No --secret: signatures are not verified.'))
  write('Ready. Stop with Ctrl-C.')
}

function logger(
  log: string,
  { write, paint, columns }: Terminal,
): (delivery: ReceivedDelivery) => void {
  if (log === 'silent') return () => {}
  if (log === 'json')
    return (delivery) => write(printableJson({ kind: 'delivery', ...delivery.toJSON() }))
  return (delivery) => {
    for (const line of linesFor(delivery, paint)) wrapped(line, columns?.(), 10).forEach(write)
  }
}

function probeLogger(log: string, { write, paint }: Terminal): (probe: Probe) => void {
  if (log === 'silent') return () => {}
  if (log === 'json') return (probe) => write(printableJson({ kind: 'probe', ...probe }))
  return (probe) => write(paint('gray', printable(formatProbe(probe))))
}

function linesFor(delivery: ReceivedDelivery, paint: Paint): string[] {
  const { verdict, diagnosis, problems } = delivery
  const color = verdict === 'valid' ? 'green' : 'red'
  const first = printable(delivery.toString())
  const lines = [...(diagnosis ? [diagnosis.text] : []), ...problems]
  const [, time] = toIso(delivery.at).split(/[T.]/) as [string, string]
  return [
    `${paint('gray', time)}  ${verdict === 'unverifiable' ? first : paint(color, first)}`,
    ...lines.map((text) => ' '.repeat(time.length + 2) + printable(text)),
  ]
}
