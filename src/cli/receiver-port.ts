import { pid } from 'node:process'
import type { WebhookReceiver } from '../webhooks/sending/webhook-receiver.js'
import type { Mapping } from './run/exec-environment.js'
import { webUrl, type Value } from './values.js'

/** Stands for the port of a receiver that the command starts. */
const PLACE = '{port}'

/** A URL of a receiver, whose port may be `{port}`. */
export const receiverUrl: Value<string> = {
  takes: `${webUrl.takes}, where ${PLACE} may stand for a free port`,
  read: (text) => (webUrl.read(text.replaceAll(PLACE, '1')) === undefined ? undefined : text),
  write: webUrl.write!,
}

// Below the ports that systems choose for outgoing connections and for "any free port", so that no other
// program takes the port before the command listens on it.
const FIRST = 20_000
const LAST = 31_999
/** Programs that start at the same time begin at different ports. */
let next = FIRST + ((pid * 101) % (LAST - FIRST))

/** Chooses a free port of 127.0.0.1, for a program that starts soon. Each call returns another one. */
export async function freePort(): Promise<number> {
  const { default: getPort, portNumbers } = await import('get-port')
  const from = next > LAST ? FIRST : next
  const port = await getPort({ host: '127.0.0.1', port: portNumbers(from, LAST) })
  next = port + 1
  return port
}

/** Where the command of a run receives webhooks. */
export interface ReceiverPort {
  /** The receivers, with the port. */
  readonly webhooks: readonly WebhookReceiver[]
  /** The port. Undefined if nothing asks for it. */
  readonly port: number | undefined
}

/** Chooses a free port if a receiver or a variable asks for one. */
export async function chooseReceiverPort(
  webhooks: readonly WebhookReceiver[],
  mappings: readonly Mapping[],
): Promise<ReceiverPort> {
  const texts = [...webhooks.map(({ url }) => url), ...mappings.map(({ template }) => template)]
  if (!texts.some((text) => text.includes(PLACE))) return { webhooks, port: undefined }
  const port = await freePort()
  return {
    port,
    webhooks: webhooks.map(({ url, ...rest }) => {
      return { ...rest, url: url.replaceAll(PLACE, String(port)) }
    }),
  }
}
