import { ListenError } from '../emulator/adapters/bind.js'
import type { Listening } from '../emulator/adapters/listen.js'
import type { ListenOptions } from '../emulator/adapters/listen-options.js'
import type { SinkListenOptions, WebhookSink } from '../compose/create-sink.js'
import type { ListeningEmulator } from '../compose/listening-emulator.js'
import type { Settings } from './options/settings.js'
import { DEFAULT_INFERENCE_PORT, DEFAULT_PORT, DEFAULT_SINK_PORT } from './options/serve.js'

/** How many ports after the default one are tried. */
const RANGE = 100

/** A port that an emulator takes if it is free. */
interface WantedPort {
  readonly setting: 'port' | 'inferencePort' | 'sinkPort'
  /** Who listens on it. */
  readonly name: string
  /** The option that chooses another one. */
  readonly option: string
  readonly port: number
  readonly isChosen: boolean
}

/** The ports that an emulator takes if they are free. */
export function portsOf(settings: Partial<Pick<Settings, WantedPort['setting']>>): WantedPort[] {
  const all = [
    { setting: 'port', name: 'training API', option: '--port', usual: DEFAULT_PORT },
    {
      setting: 'inferencePort',
      name: 'inference API',
      option: '--inference-port',
      usual: DEFAULT_INFERENCE_PORT,
    },
    { setting: 'sinkPort', name: 'webhook sink', option: '--sink-port', usual: DEFAULT_SINK_PORT },
  ] as const
  return all.map(({ usual, ...each }) => {
    const { [each.setting]: port } = settings
    return { ...each, port: port ?? usual, isChosen: port !== undefined }
  })
}

type ListenRequest = Omit<ListenOptions, 'port' | 'inferencePort'> & {
  /** The port that the user chose. Otherwise another port can take the place of the default one. */
  port: number | undefined
  inferencePort: number | undefined
}

/**
 * Listens on the chosen ports. Without a choice, it uses the default ports or the next free ones.
 *
 * @throws {ListenError} When a chosen port is taken.
 */
export async function listenSomewhere(
  emulator: Pick<ListeningEmulator, 'listen'>,
  requested: ListenRequest,
): Promise<Listening> {
  let port = requested.port ?? DEFAULT_PORT
  let inferencePort = requested.inferencePort ?? DEFAULT_INFERENCE_PORT
  for (;;) {
    try {
      return await emulator.listen({ ...requested, port, inferencePort })
    } catch (error) {
      if (!isTaken(error)) throw error
      if (error.port === port && requested.port === undefined) {
        port = await nextFree(port, { host: requested.host, not: inferencePort })
      } else if (error.port === inferencePort && requested.inferencePort === undefined) {
        inferencePort = await nextFree(inferencePort, { host: requested.host, not: port })
      } else throw error
    }
  }
}

type SinkRequest = Omit<SinkListenOptions, 'port'> & { port: number | undefined }

/**
 * Does the same for a webhook sink, and closes it if it cannot listen.
 *
 * @throws {ListenError} When the chosen port is taken.
 */
export async function sinkListensSomewhere(
  sink: WebhookSink,
  requested: SinkRequest,
): Promise<void> {
  const { host, port: chosen } = requested
  const listen = (port: number): Promise<unknown> => sink.listen({ ...requested, port })
  await onFreePort({ host, chosen, usual: DEFAULT_SINK_PORT }, listen).catch(
    async (error: unknown) => {
      await sink.close()
      throw error
    },
  )
}

interface FreePort {
  readonly host: string | undefined
  /** The port that the user chose. Otherwise another port can take the place of the usual one. */
  readonly chosen: number | undefined
  readonly usual: number
}

/** Calls a function that listens on a port, with the next free port while nobody chose one, and it is taken. */
export async function onFreePort<T>(
  { host, chosen, usual }: FreePort,
  listen: (port: number) => Promise<T>,
): Promise<T> {
  let port = chosen ?? usual
  for (;;) {
    try {
      return await listen(port)
    } catch (error) {
      if (chosen !== undefined || !isTaken(error)) throw error
      port = await nextFree(port, { host })
    }
  }
}

function isTaken(error: unknown): error is ListenError {
  return error instanceof ListenError && error.code === 'SVTRAIN_PORT_TAKEN'
}

/** Returns the next free port. */
async function nextFree(
  taken: number,
  { host = '127.0.0.1', not = taken }: { host?: string | undefined; not?: number },
): Promise<number> {
  const { default: getPort, portNumbers } = await import('get-port')
  return getPort({ host, port: portNumbers(taken + 1, taken + RANGE), exclude: [not] })
}
