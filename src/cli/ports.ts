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
export function listenSomewhere(
  emulator: Pick<ListeningEmulator, 'listen'>,
  requested: ListenRequest,
): Promise<Listening> {
  const training = { chosen: requested.port, usual: DEFAULT_PORT }
  const inference = { chosen: requested.inferencePort, usual: DEFAULT_INFERENCE_PORT }
  return onFreePorts(requested.host, [training, inference], (port, inferencePort) => {
    return emulator.listen({ ...requested, port, inferencePort })
  })
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
  const wanted = { chosen: requested.port, usual: DEFAULT_SINK_PORT }
  try {
    await onFreePorts(requested.host, [wanted], (port) => sink.listen({ ...requested, port }))
  } catch (error) {
    await sink.close()
    throw error
  }
}

interface PortChoice {
  /** The port that the user chose. Otherwise another port can take the place of the usual one. */
  readonly chosen: number | undefined
  readonly usual: number
}

type PortsOf<Choices> = { -readonly [At in keyof Choices]: number }

/** Calls a function that listens on ports. The next free one takes the place of one that is taken, unless it was chosen. */
export async function onFreePorts<const Choices extends readonly PortChoice[], T>(
  host: string | undefined,
  choices: Choices,
  listen: (...ports: PortsOf<Choices>) => Promise<T>,
): Promise<T> {
  const ports = choices.map(({ chosen, usual }) => chosen ?? usual)
  for (;;) {
    try {
      return await listen(...(ports as PortsOf<Choices>))
    } catch (error) {
      const moved = choices.findIndex(({ chosen }, at) => {
        return chosen === undefined && isTaken(error) && error.port === ports[at]
      })
      if (moved === -1) throw error
      ports[moved] = await nextFree(ports[moved]!, { host, exclude: ports })
    }
  }
}

function isTaken(error: unknown): error is ListenError {
  return error instanceof ListenError && error.code === 'SVTRAIN_PORT_TAKEN'
}

/** Returns the next free port. */
async function nextFree(
  taken: number,
  { host = '127.0.0.1', exclude }: { host: string | undefined; exclude: readonly number[] },
): Promise<number> {
  const { default: getPort, portNumbers } = await import('get-port')
  return getPort({ host, port: portNumbers(taken + 1, taken + RANGE), exclude })
}
