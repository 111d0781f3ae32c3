import { controlAccess } from '../adapters/control-access.js'
import { poolOfConnections } from '../adapters/pooled-send.js'
import { writeSnapshotFile } from '../adapters/snapshot-file.js'
import { openFromDisk } from '../adapters/training-data-files.js'
import { urlsOf } from '../adapters/urls.js'
import type { Listening, Refusal } from '../adapters/listen.js'
import { isLoopback } from '../text/authority.js'
import type { WorldPart } from '../emulator/core-options.js'
import { EmulatorCore } from '../emulator/emulator.js'
import type { JournalListener } from '../engine/journal.js'
import { announce } from './announce.js'
import type { Settings } from './options.js'
import { followScenario } from './follow-scenario.js'
import { assertUsable } from './assert-usable.js'
import { listenSomewhere } from './ports.js'
import { requestLog } from './request-log.js'
import { startSink } from './sink-beside.js'
import { showRunningJobs } from './running-jobs.js'
import { Outgoing } from '../webhooks/outgoing.js'
import { takeUp, type Beginning } from './take-up.js'
import type { Terminal } from './terminal.js'

/**
 * Starts the emulator and prints what was started.
 *
 * @returns A function that stops it.
 * @throws {UsageError} When the settings contradict each other.
 * @throws {ScenarioError} When the scenario cannot be used.
 * @throws {ListenError} When it cannot listen on a port.
 */
export async function serve(
  settings: Settings,
  { version, terminal }: { version: string; terminal: Terminal },
): Promise<() => Promise<void>> {
  const { core, begun, listening, log, stop } = await openPorts(settings, terminal)
  announce({ core, saved: begun.saved, settings, listening, version }, terminal)
  core.journal.subscribe(log)
  const { statusArea, paint } = terminal
  if (!statusArea || settings.log !== 'pretty') return stop
  const stopShowing = showRunningJobs(core, { statusArea, paint })
  return () => {
    stopShowing()
    return stop()
  }
}

interface Served {
  core: EmulatorCore
  begun: Beginning
  listening: Listening
  log: JournalListener
  stop: () => Promise<void>
}

/** Starts the emulator, and prints nothing. Throws what `serve` throws. */
export async function openPorts(settings: Settings, terminal: Terminal): Promise<Served> {
  await assertUsable(settings)
  const log = requestLog(settings.log, terminal)
  const begun = await takeUp(settings)
  const core = createCore(settings, begun, log)
  // Before the banner: a program that waits for it may change the file at once.
  const stopFollowing = settings.watch ? followScenario(begun.files, core, terminal) : undefined
  core.guardControl(controlAccess(settings))
  const refused = ({ request, status, message }: Refusal): void =>
    void core.journal.note(`${request} was refused with ${status}: ${message}`)
  const stopSink = settings.sink ? await startSink(core, settings, refused) : undefined
  const listening = await listenSomewhere(core.handle, {
    host: settings.host,
    port: settings.port,
    inferencePort: settings.inferencePort,
    allowedHosts: settings.allowedHosts,
    corsOrigins: settings.corsOrigins,
    refused,
  }).catch(async (error: unknown) => {
    core.stop()
    await stopSink?.()
    throw error
  })
  core.servedAt(urlsOf(listening))
  const stop = async (): Promise<void> => {
    stopFollowing?.()
    // Before the stop, which discards what is still to come.
    const { exportOnExit, exportSecrets: secrets } = settings
    const snapshot = exportOnExit === undefined ? undefined : await core.snapshot({ secrets })
    core.stop()
    await Promise.all([listening.close(), stopSink?.()])
    if (snapshot) writeSnapshotFile(exportOnExit!, snapshot)
  }
  return { core, begun, listening, log, stop }
}

function createCore(settings: Settings, begun: Beginning, log: JournalListener): EmulatorCore {
  const { scenario, seed, saved, storage } = begun
  const outgoing = new Outgoing({ pool: poolOfConnections().send })
  const create = (part?: WorldPart): EmulatorCore =>
    new EmulatorCore({
      scenario: part?.scenario ?? scenario,
      seed: part?.seed ?? seed,
      saved,
      storage,
      clock: {
        mode: settings.clock ?? scenario.clock?.mode ?? 'real',
        speed: settings.speed ?? scenario.clock?.speed,
      },
      webhooks: settings.webhooks,
      outgoing,
      apiKeys: settings.apiKeys,
      basePath: settings.basePath,
      openTrainingData: openFromDisk({
        dataRoot: settings.dataRoot,
        confined: !isLoopback(settings.host),
      }),
      createWorld: settings.isolate && !part ? createWorld : undefined,
      part,
    })
  const createWorld = (part: WorldPart): EmulatorCore => {
    const world = create(part)
    world.journal.subscribe(log)
    return world
  }
  return create()
}
