import { controlAccess } from '../adapters/control-access.js'
import { poolOfConnections } from '../adapters/pooled-send.js'
import { openFromDisk } from '../adapters/training-data-files.js'
import { urlsOf } from '../adapters/urls.js'
import type { Listening } from '../adapters/listen.js'
import type { Middleware } from '../adapters/express.js'
import { isLoopback } from '../contract/authority.js'
import { isControlPath } from '../contract/control-path.js'
import type { WorldPart } from '../core-options.js'
import { EmulatorCore } from '../emulator.js'
import type { JournalListener } from '../engine/journal.js'
import { announce } from './announce.js'
import { chooseScenario, type Chosen } from './choose-scenario.js'
import type { Settings } from './flags.js'
import { followScenario } from './follow-scenario.js'
import { assertUsable } from './assert-usable.js'
import { listenSomewhere } from './ports.js'
import { requestLog } from './request-log.js'
import { Outgoing } from '../webhooks/outgoing.js'
import type { Terminal } from './terminal.js'

/**
 * Starts the emulator as the command line says and tells the user what there is now. Returns what
 * stops it. Raises `UsageError`, `ScenarioError` or `ListenError`.
 */
export async function serve(
  settings: Settings,
  { version, terminal }: { version: string; terminal: Terminal },
): Promise<() => Promise<void>> {
  const { core, listening, log, stop } = await openPorts(settings, terminal)
  announce({ core, settings, listening, version }, terminal)
  core.journal.subscribe(log)
  return stop
}

interface Served {
  core: EmulatorCore
  listening: Listening
  log: JournalListener
  stop: () => Promise<void>
}

/** Starts the emulator and says nothing. Raises `UsageError`, `ScenarioError` or `ListenError`. */
export async function openPorts(settings: Settings, terminal: Terminal): Promise<Served> {
  await assertUsable(settings)
  const chosen = await chooseScenario(settings.scenario)
  const log = requestLog(settings.log, terminal)
  const core = createCore(settings, chosen, log)
  // Before anything is said, for whoever waits for our banner may change the file at once.
  const stopFollowing = settings.watch ? followScenario(chosen.files, core, terminal) : undefined
  core.guardControl(controlAccess(settings))
  const listening = await listenSomewhere(core.handle, {
    host: settings.host,
    port: settings.port,
    inferencePort: settings.inferencePort,
    allowedHosts: settings.allowedHosts,
    corsOrigins: settings.corsOrigins,
    use: await corsLayers(settings.corsOrigins),
    refused: ({ request, status, message }) =>
      core.journal.note(`${request} was refused with ${status}: ${message}`),
  })
  core.servedAt(urlsOf(listening))
  const stop = async (): Promise<void> => {
    stopFollowing?.()
    core.stop()
    await listening.close()
  }
  return { core, listening, log, stop }
}

function createCore(settings: Settings, { scenario }: Chosen, log: JournalListener): EmulatorCore {
  const outgoing = new Outgoing({ pool: poolOfConnections().send })
  const create = (part?: WorldPart): EmulatorCore =>
    new EmulatorCore({
      scenario: part?.scenario ?? scenario,
      seed: part?.seed ?? settings.seed,
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

/** Web pages of the allowed origins are answered with what browsers ask for. */
async function corsLayers(origins: readonly string[]) {
  if (origins.length === 0) return []
  const { default: cors } = await import('cors')
  const layer = cors({ origin: origins.includes('*') ? '*' : [...origins] })
  // The control API is closed to them all.
  const open: Middleware = (request, response, next) =>
    isControlPath((request.url ?? '').split('?', 1)[0]!) ? next() : layer(request, response, next)
  return [open]
}
