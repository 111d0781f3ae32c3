import { compose } from '../compose/compose.js'
import type { control } from '../compose/control.js'
import type { ListeningEmulator } from '../compose/listening-emulator.js'
import { nodeRuntime, type NodeEmulatorOptions } from '../compose/node-runtime.js'
import type { Checks, ChecksSource } from '../emulator/checks.js'
import type { SavedWorld } from '../service/engine/saved/restore.js'
import type { WarningOptions } from '../service/engine/warnings.js'
import type { Scenario } from '../service/scenario/scenario.js'

/** How an emulator of the command line differs from one of the package. */
interface CommandLine {
  /** How training data is opened. Default: as in the package. */
  openTrainingData?: typeof nodeRuntime.openTrainingData
  /** A snapshot that was read from a file. */
  imported?: SavedWorld | undefined
  /** Warnings about what is usual for the command. Its log has the others. */
  usualWarnings?: WarningOptions['usual']
  /** A built-in scenario, or one that was read from a file. */
  checked?: Scenario | undefined
}

let checks: Checks | undefined

/** The checks of input. Loading the schema library takes as long as everything else together. */
export const lazyChecks: ChecksSource = {
  async load() {
    checks ??= (await import('../emulator/checks.js')).loadedChecks.loaded
    return checks
  },
  get loaded() {
    if (!checks) throw new Error('The checks of input are not loaded.')
    return checks
  },
}

/** The control API. Its code loads with its first call, because many runs of a server see none. */
const lazyControl: typeof control = (emulator) => {
  let loaded: ReturnType<typeof control> | undefined
  const load = async (): Promise<ReturnType<typeof control>> => {
    const loading = await import('../compose/control.js')
    return (loaded ??= loading.control(emulator))
  }
  return (...call) => loaded?.(...call) ?? load().then((answer) => answer(...call))
}

/**
 * Makes the `createEmulator` of the command line. Its clock is `real` by default, and it starts without
 * the checks of input if a built-in scenario or that of a file is served.
 */
export function createEmulatorWith({
  openTrainingData,
  imported,
  usualWarnings: usual,
  checked,
}: CommandLine = {}): (options: NodeEmulatorOptions) => ListeningEmulator {
  const runtime = {
    ...nodeRuntime,
    checks: lazyChecks,
    control: lazyControl,
    clock: 'real',
    warnings: { usual },
  } as const
  return compose(
    { ...runtime, ...(openTrainingData && { openTrainingData }) },
    { saved: imported, scenario: checked },
  )
}
