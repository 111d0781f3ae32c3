import { listen, ListenError, type Listening, type ListenOptions } from '../adapters/listen.js'
import type { Handler } from '../adapters/node-http.js'
import type { SinkListenOptions, WebhookSink } from '../compose/create-sink.js'
import { DEFAULT_INFERENCE_PORT, DEFAULT_PORT, DEFAULT_SINK_PORT } from './options.js'

/** How far beyond its default a port is looked for. */
const RANGE = 100

type Asked = Omit<ListenOptions, 'port' | 'inferencePort'> & {
  /** A port that was asked for is taken or refused; one that was not may move on. */
  port: number | undefined
  inferencePort: number | undefined
}

/**
 * Listens on the ports asked for, or on the default ones, or on the next free ones where those are
 * taken. Raises `ListenError` where a port that was asked for is taken.
 */
export async function listenSomewhere(handler: Handler, asked: Asked): Promise<Listening> {
  let port = asked.port ?? DEFAULT_PORT
  let inferencePort = asked.inferencePort ?? DEFAULT_INFERENCE_PORT
  for (;;) {
    try {
      return await listen(handler, { ...asked, port, inferencePort })
    } catch (error) {
      if (!(error instanceof ListenError) || error.code !== 'SVTRAIN_PORT_TAKEN') throw error
      if (error.port === port && asked.port === undefined) {
        port = await nextFree(port, { host: asked.host, not: inferencePort })
      } else if (error.port === inferencePort && asked.inferencePort === undefined) {
        inferencePort = await nextFree(inferencePort, { host: asked.host, not: port })
      } else throw error
    }
  }
}

type AskedOfSink = Omit<SinkListenOptions, 'port'> & { port: number | undefined }

/** The same for a webhook sink; one that cannot listen is closed. Raises `ListenError`. */
export async function sinkListensSomewhere(sink: WebhookSink, asked: AskedOfSink): Promise<void> {
  let port = asked.port ?? DEFAULT_SINK_PORT
  for (;;) {
    try {
      await sink.listen({ ...asked, port })
      return
    } catch (error) {
      const taken = error instanceof ListenError && error.code === 'SVTRAIN_PORT_TAKEN'
      if (!taken || asked.port !== undefined) {
        await sink.close()
        throw error
      }
      port = await nextFree(port, { host: asked.host })
    }
  }
}

/** The next port that nobody listens on. */
export async function nextFree(
  taken: number,
  { host = '127.0.0.1', not = taken }: { host?: string | undefined; not?: number },
): Promise<number> {
  const { default: getPort, portNumbers } = await import('get-port')
  return getPort({ host, port: portNumbers(taken + 1, taken + RANGE), exclude: [not] })
}
