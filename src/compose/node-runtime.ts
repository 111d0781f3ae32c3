import { EmulatorError } from '../base/text/emulator-error.js'
import { openDataFolder } from '../emulator/adapters/data-folder.js'
import { poolOfConnections } from '../emulator/adapters/pooled-send.js'
import { openFromDisk } from '../emulator/adapters/training-data-files.js'
import { offerProxies } from '../emulator/intercept/offered-proxies.js'
import { nonEmptyText, Options } from '../base/text/options.js'
import { emulatorOptions, type EmulatorOptions } from '../emulator/emulator-options.js'
import { readTokenizerFolder } from '../service/scenario/tokenizer-folder.js'
import type { Runtime } from './compose.js'
import { ListeningEmulator } from './listening-emulator.js'

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

/** Ports, files and connections. Who composes an emulator adds where its checks and its control API come from. */
export const nodeRuntime: Omit<
  Runtime<NodeEmulatorOptions, ListeningEmulator>,
  'checks' | 'control'
> = {
  Emulator: ListeningEmulator,
  options: nodeEmulatorOptions,
  openStorage({ data, isolate }, checks) {
    if (data === undefined) return undefined
    if (isolate) throw new IsolatedDataError()
    return openDataFolder(data, checks.loaded)
  },
  readTokenizerFolder,
  openTrainingData: ({ dataRoot }) => openFromDisk({ dataRoot }),
  async openSink(emulator) {
    // Most starts do not need this code.
    const { createSinkFor } = await import('./emulator-sink.js')
    // Another call may have opened it in the meantime.
    if (!emulator.sink) createSinkFor(emulator)
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
      const { WorldProxies } = await import('../emulator/intercept/world-proxies.js')
      return new WorldProxies(emulator, process.env)
    })
  },
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
