import { EmulatorError } from '../base/text/emulator-error.js'
import { openDataFolder } from '../emulator/adapters/data-folder.js'
import {
  controlAccess,
  listen,
  listenOptions,
  urlsOf,
  type Listening,
  type ListenOptions,
} from '../emulator/adapters/listen.js'
import { poolOfConnections } from '../emulator/adapters/pooled-send.js'
import { openFromDisk } from '../emulator/adapters/training-data-files.js'
import type { Emulator } from '../emulator/emulator.js'
import { offerProxies } from '../tools/intercept/offered-proxies.js'
import { nonEmptyText, Options } from '../base/text/options.js'
import { emulatorOptions, type EmulatorOptions } from '../emulator/emulator-options.js'
import { readTokenizerFolder } from '../service/scenario/tokenizer-folder.js'
import type { Runtime } from './compose.js'

/** The options of `createEmulator` in Node. */
export interface NodeEmulatorOptions extends EmulatorOptions {
  /**
   * A folder in which the world survives restarts and crashes. It is created if it does not exist. A world
   * in it continues with its seed, and with its scenario unless you name another one.
   */
  data?: string | undefined
  /** The folder that relative paths of SFT data start from. Default: the working directory. */
  dataRoot?: string | undefined
}

export const nodeEmulatorOptions = new Options<NodeEmulatorOptions>('createEmulator', {
  ...emulatorOptions.table,
  data: nonEmptyText,
  dataRoot: nonEmptyText,
})

/** The verbs that an emulator has only in Node. */
export interface NodeVerbs {
  /**
   * Serves both hosts on real ports, by default on free ones.
   *
   * @returns The address and ports.
   * @throws {ListenError} When a port cannot be bound.
   * @throws {AlreadyListeningError} When the emulator already listens.
   * @throws {OptionsError} When an option can't be used.
   * @example
   * const { port, inferencePort } = await emulator.listen()
   */
  listen(options?: ListenOptions): Promise<Listening>
}

/** Ports, files and connections. Who composes an emulator adds where its checks and its control API come from. */
export const nodeRuntime: Omit<Runtime<NodeEmulatorOptions, NodeVerbs>, 'checks' | 'control'> = {
  options: nodeEmulatorOptions,
  verbs: { listen: listenVerb },
  openStorage({ data, isolate }, checks) {
    if (data === undefined) return undefined
    if (isolate) throw new IsolatedDataError()
    return openDataFolder(data, checks.loaded)
  },
  readTokenizerFolder,
  openTrainingData: ({ dataRoot }) => openFromDisk({ dataRoot }),
  async openSink(emulator) {
    // Most starts do not need this code.
    const { sinkVerbs } = await import('./emulator-sink.js')
    sinkVerbs.createSink(emulator)()
  },
  async loadMcp() {
    const [{ mcpEndpoint }, docs] = await Promise.all([
      import('../tools/mcp/endpoint.js'),
      import('../emulator/adapters/docs-pages.js'),
    ])
    return mcpEndpoint(docs)
  },
  connect: poolOfConnections,
  created(emulator) {
    offerProxies(emulator, async () => {
      const { WorldProxies } = await import('../tools/intercept/world-proxies.js')
      return new WorldProxies(emulator)
    })
  },
}

function listenVerb(emulator: Emulator): NodeVerbs['listen'] {
  let current: Listening | undefined
  emulator.onClose(async () => {
    await current?.close()
    current = undefined
    emulator.servedAt(undefined)
    emulator.guardControl(undefined)
  })
  return async (options = {}) => {
    listenOptions.check(options)
    if (current) throw new AlreadyListeningError(current)
    const { host = '127.0.0.1', controlToken, allowedHosts } = options
    emulator.guardControl(controlAccess({ host, controlToken, allowedHosts }))
    const { background } = emulator.journal
    const { receive } = emulator
    current = await listen(emulator.handle, { ...options, background, receive })
    emulator.servedAt(urlsOf(current))
    return current
  }
}

/** Thrown by `createEmulator` for `data` together with `isolate`. Code `SVTRAIN_ISOLATED_DATA`. */
export class IsolatedDataError extends EmulatorError {
  override readonly name = 'IsolatedDataError'
  readonly code = 'SVTRAIN_ISOLATED_DATA'
  constructor() {
    super(
      'Failed to create the emulator: data saves one world, but isolate makes one for each key. Leave out one of the two.',
    )
  }
}

/** `listen` rejects with it when the emulator already listens. Code `SVTRAIN_ALREADY_LISTENING`. */
export class AlreadyListeningError extends EmulatorError {
  override readonly name = 'AlreadyListeningError'
  readonly code = 'SVTRAIN_ALREADY_LISTENING'
  constructor({ port, inferencePort }: Listening) {
    super(
      `Failed to listen: this emulator already listens on ports ${port} and ${inferencePort}. Close it first, or create another.`,
    )
  }
}
