import { openWebhookSink, WebhookSink, type WebhookSinkOptions } from '../../compose/create-sink.js'
import { describeProbe, type Probe } from '../../sink/probe.js'
import type { ReceivedDelivery } from '../../sink/received-delivery.js'
import { DEFAULT_SINK_PORT, flags } from '../flags.js'
import { interruption } from '../interruption.js'
import type { Paint } from '../paint.js'
import { printable, printableJson } from '../printable.js'
import { sinkListensSomewhere } from '../ports.js'
import type { Terminal } from '../terminal.js'
import { anyText, port, toggle, webUrl } from '../values.js'
import { readArguments } from './arguments.js'
import type { Run } from './command.js'
import { form, header, secrets, token } from './signature-flags.js'

const sinkFlags = {
  port: {
    describe: 'Port to receive on, at any path; 0 takes any free one',
    value: port,
    defaultText: `${DEFAULT_SINK_PORT}, or the next free one`,
  },
  host: flags.host,
  'allow-host': flags['allow-host'],
  secret: secrets,
  token,
  header,
  ...form,
  strict: { describe: 'Refuse what is not as it should be', value: toggle },
  out: {
    describe: 'File to add each delivery to, as a line of JSON, before it is acknowledged',
    value: anyText('a file'),
  },
  fsync: { describe: 'Wait for the disk, too: a loss of power loses nothing', value: toggle },
  'forward-to': {
    describe: 'URL to pass each delivery on to; what is answered there is answered here',
    value: webUrl,
  },
  log: flags.log,
} as const

/** Receives until it is interrupted. Raises `ListenError`. */
export const sink: Run = async (called, terminal) => {
  const read = await readArguments(called, { flags: sinkFlags })
  if (read.kind === 'text') {
    terminal.write(read.text)
    return 0
  }
  const { out, fsync, log = 'pretty', secret, ...asked } = read.flags
  const options: WebhookSinkOptions = {
    secrets: secret,
    token: asked.token,
    header: asked.header,
    encoding: asked.encoding,
    prefix: asked.prefix,
    strict: asked.strict,
    forwardTo: asked['forward-to'],
    // What is recorded goes to the file and the log; what is kept here only finds duplicates.
    capacity: 1000,
  }
  const opened = await openSink(options, { out, fsync, terminal })
  if (opened === undefined) return 1
  const stopped = interruption()
  opened.subscribe(logger(log, terminal))
  opened.subscribeToProbes(probeLogger(log, terminal))
  await sinkListensSomewhere(opened, {
    port: asked.port,
    host: asked.host ?? '127.0.0.1',
    allowedHosts: asked['allow-host'],
    refused: ({ request, status, message }) =>
      terminal.writeError(printable(`${request} was refused with ${status}: ${message}`)),
  })
  announce(opened, { log, out, unverified: secret.length === 0, terminal })
  await stopped
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
    const opened = await openWebhookSink({ ...options, out, fsync })
    const { torn } = opened
    if (torn > 0) {
      terminal.writeError(
        `${printable(out)} ended in ${torn} bytes of a record that was never finished, nor acknowledged; they are gone now.`,
      )
    }
    return opened
  } catch (error) {
    terminal.writeError(printable(`Failed to open ${out}: ${(error as Error).message}.`))
    return undefined
  }
}

interface Announced {
  log: string
  out: string | undefined
  unverified: boolean
  terminal: Terminal
}

function announce({ url }: WebhookSink, { log, out, unverified, terminal }: Announced): void {
  const { write, paint } = terminal
  if (log === 'silent') return
  if (log === 'json') return write(printableJson({ kind: 'ready', url, pid: process.pid, out }))
  write(`Webhook sink at ${paint('cyan', url)}, at any path`)
  if (out !== undefined) write(`Recording to ${printable(out)}`)
  if (unverified) write(paint('yellow', 'No --secret: signatures are not verified.'))
  write('Ready. Stop with Ctrl-C.')
}

function logger(log: string, { write, paint }: Terminal): (delivery: ReceivedDelivery) => void {
  if (log === 'silent') return () => {}
  if (log === 'json')
    return (delivery) => write(printableJson({ kind: 'delivery', ...delivery.toJSON() }))
  return (delivery) => linesFor(delivery, paint).forEach(write)
}

function probeLogger(log: string, { write, paint }: Terminal): (probe: Probe) => void {
  if (log === 'silent') return () => {}
  if (log === 'json') return (probe) => write(printableJson({ kind: 'probe', ...probe }))
  return (probe) => write(paint('gray', printable(describeProbe(probe))))
}

function linesFor(delivery: ReceivedDelivery, paint: Paint): string[] {
  const { verdict, diagnosis, problems } = delivery
  const colour = verdict === 'valid' ? 'green' : 'red'
  const first = printable(delivery.toString())
  const told = [...(diagnosis ? [diagnosis.text] : []), ...problems]
  return [
    verdict === 'unverifiable' ? first : paint(colour, first),
    ...told.map((text) => `  ${printable(text)}`),
  ]
}
