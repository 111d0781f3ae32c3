import process from 'node:process'
import { warnOfIdleWebhooks } from '../webhooks/sending/idle-webhooks.js'
import { readSnapshotFile, writeSnapshotFile } from '../emulator/adapters/snapshot-file.js'
import { openFromDisk } from '../emulator/adapters/training-data-files.js'
import type { Listening } from '../emulator/adapters/listen.js'
import type { Refusal } from '../emulator/adapters/port-layers.js'
import type { Emulator } from '../emulator/emulator.js'
import type { ScenarioInput } from '../service/scenario/scenario.js'
import type { WarningOptions } from '../service/engine/warnings.js'
import type { ListeningEmulator } from '../compose/listening-emulator.js'
import { isLoopback } from '../base/text/near-address.js'
import { announce, dashboardUrlOf, readyFileEntry } from './announce.js'
import { assertUsable } from './assert-usable.js'
import { chooseScenario, type ScenarioChoice } from './choose-scenario.js'
import { createEmulatorWith, lazyChecks } from './create-emulator.js'
import type { Settings } from './options/settings.js'
import { listenSomewhere } from './ports.js'
import { prepareReadyFile, type ReadyFile } from './ready-file.js'
import { requestLog, type Log } from './request-log.js'
import { showRunningJobs } from './running-jobs.js'
import { SessionSummary } from './session-summary.js'
import { openServedProxy } from './served-proxy.js'
import { startSink } from './sink-beside.js'
import { keepHeapSmall } from './small-heap.js'
import type { Terminal } from './terminal.js'
import { shownKey } from './shown-key.js'

/**
 * Starts the emulator and prints its banner.
 *
 * @returns A function that stops it.
 * @throws {UsageError} When the settings contradict each other.
 * @throws {ScenarioError} When the scenario cannot be used.
 * @throws {ListenError} When it cannot listen on a port.
 */
export async function serve(
  settings: Settings,
  { version, terminal, created }: { version: string } & Pick<OpenOptions, 'terminal' | 'created'>,
): Promise<() => Promise<void>> {
  const { statusArea, paint } = terminal
  const isPretty = settings.log === 'pretty'
  const summary = new SessionSummary()
  const shown = requestLog(settings.log, terminal, { withoutSteps: statusArea !== undefined })
  const log: Log = (entry, source) => {
    summary.add(entry)
    shown.log(entry, source)
  }
  const { emulator, listening, readyFile, stop, abandon } = await openPorts(settings, {
    terminal,
    log,
    created,
    usualWarnings: usualWarningsOf(settings),
  })
  try {
    const proxy = await openServedProxy(emulator, settings, process.env)
    const hasKeys = isPretty && statusArea !== undefined && process.stdin.isTTY
    const serving = { emulator, settings, listening, proxy, version, hasKeys }
    readyFile.write(readyFileEntry(serving))
    // Before the banner, so that its keys work as soon as people read it.
    const stopKeys = hasKeys ? await startKeys(emulator, terminal) : undefined
    announce(serving, terminal)
    keepHeapSmall()
    const { journal } = emulator
    journal.subscribe((entry) => log(entry, { journal }))
    warnOfIdleWebhooks(emulator.engine.warnings, emulator.webhooks.parts, emulator.scenario.auth)
    if (!isPretty) return stop
    const stopShowing = statusArea && showRunningJobs(emulator, { statusArea, paint })
    return async () => {
      stopKeys?.()
      stopShowing?.()
      const jobs = [emulator, ...emulator.worlds].flatMap((world) => world.jobs.all)
      const queued = jobs.filter(({ status }) => status === 'queued').length
      await stop()
      shown.flush()
      summary.lines(terminal, queued).forEach(terminal.write)
    }
  } catch (error) {
    await abandon()
    throw error
  }
}

/** People watch a server in real time. Worlds of tests have a clock of their own. */
export function usualWarningsOf({
  isolate,
  clock = 'real',
}: Pick<Settings, 'isolate' | 'clock'>): WarningOptions['usual'] {
  return isolate !== undefined && clock !== 'real' ? undefined : ['real-time-polls']
}

async function startKeys(emulator: Emulator, terminal: Terminal): Promise<() => void> {
  // Programs that start the emulator have no keyboard, and do not need this code.
  const { listenToKeys } = await import('./shortcuts.js')
  return listenToKeys(emulator, process.stdin, {
    output: terminal,
    dashboardUrl: dashboardUrlOf(emulator),
    quit: () => void process.kill(process.pid, 'SIGINT'),
  })
}

export interface ServedEmulator {
  emulator: ListeningEmulator
  listening: Listening
  readyFile: ReadyFile
  /** Also removes the ready file, and writes the snapshot of `--export-on-exit`. */
  stop: () => Promise<void>
  /** Does the same when the start fails later: an exported snapshot stays as it is. */
  abandon: () => Promise<void>
}

interface OpenOptions {
  terminal: Terminal
  log: Log
  /**
   * Called when the world is there, and before a port is open. To read a large world takes seconds, in which no signal
   * is handled. Until it is called, let a signal end the process. From then on, stop what is opened.
   */
  created?: (() => void) | undefined
  /** Warnings about what is usual for the command. Default: none. */
  usualWarnings?: WarningOptions['usual']
  /** A scenario in place of the one that the settings name. */
  scenario?: ScenarioInput | undefined
}

/**
 * Starts an emulator and prints nothing. With `--isolate`, `log` gets the entries of the worlds.
 *
 * @throws {UsageError} When the settings contradict each other.
 * @throws {ScenarioError} When the scenario cannot be used.
 * @throws {ListenError} When it cannot listen on a port.
 */
export async function openPorts(
  settings: Settings,
  { terminal, log, created, usualWarnings, scenario }: OpenOptions,
): Promise<ServedEmulator> {
  // First, so that the file of an earlier run is gone even if this start fails.
  const readyFile = prepareReadyFile(settings.readyFile)
  await assertUsable(settings)
  const chosen =
    settings.scenario === undefined ? undefined : await chooseScenario(settings.scenario)
  const emulator = await createFrom(settings, { chosen, usualWarnings, scenario })
  created?.()
  emulator.onWorld((world) => {
    const source = { journal: world.journal, world: world.worldName! }
    const text = `the world of the API key ${shownKey(world)}`
    log({ kind: 'note', id: 0, at: world.clock.now(), text }, source)
    world.journal.subscribe((entry) => log(entry, source))
  })
  // Before the ports are open, because a program that waits for the banner may change the file at once.
  const following = settings.watch ? await import('./follow-scenario.js') : undefined
  const stopFollowing = following?.followScenario(chosen?.files ?? [], emulator, terminal)
  const refused = ({ request, status, message }: Refusal): void =>
    void emulator.journal.note(`${request} was refused with ${status}: ${message}`)
  let stopSink: (() => Promise<void>) | undefined
  const abandon = async (): Promise<void> => {
    readyFile.remove()
    stopFollowing?.()
    await Promise.all([emulator.close(), stopSink?.()])
  }
  let listening: Listening
  try {
    if (settings.sink) stopSink = await startSink(emulator, settings, refused)
    listening = await listenSomewhere(emulator, {
      host: settings.host,
      port: settings.port,
      inferencePort: settings.inferencePort,
      controlToken: settings.controlToken,
      allowedHosts: settings.allowedHosts,
      corsOrigins: settings.corsOrigins,
      refused,
    })
  } catch (error) {
    await abandon()
    throw error
  }
  const stop = async (): Promise<void> => {
    readyFile.remove()
    // Before the emulator closes, which cancels all scheduled tasks.
    const { exportOnExit, exportSecrets: secrets } = settings
    const snapshot = exportOnExit === undefined ? undefined : await emulator.snapshot({ secrets })
    await abandon()
    if (snapshot) writeSnapshotFile(exportOnExit!, snapshot)
  }
  return { emulator, listening, readyFile, stop, abandon }
}

async function createFrom(
  settings: Settings,
  {
    chosen,
    usualWarnings,
    scenario,
  }: { chosen: ScenarioChoice | undefined } & Pick<OpenOptions, 'usualWarnings' | 'scenario'>,
): Promise<ServedEmulator['emulator']> {
  const { data, importFrom, host } = settings
  const imported = importFrom === undefined ? undefined : (await readSnapshotFile(importFrom)).saved
  if (scenario || data !== undefined) await lazyChecks.load()
  const confined = !isLoopback(host)
  const createEmulator = createEmulatorWith({
    openTrainingData: ({ dataRoot }) => openFromDisk({ dataRoot, confined }),
    imported,
    usualWarnings,
    // Checking the scenario of a file again would take a quarter of the start.
    checked: scenario ? undefined : chosen?.scenario,
  })
  return createEmulator({
    scenario,
    seed: settings.seed,
    clock: settings.clock,
    speed: settings.speed,
    apiKeys: settings.apiKeys,
    serveAnyModel: settings.serveAnyModel,
    baseModels: settings.baseModels,
    isolate: settings.isolate,
    keepJobs: settings.keepJobs,
    contract: settings.contract,
    basePath: settings.basePath,
    webhooks: settings.webhooks,
    dataRoot: settings.dataRoot,
    data,
  })
}
