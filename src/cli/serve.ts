import { controlAccess } from '../adapters/control-access.js'
import { openFromDisk } from '../adapters/training-data-files.js'
import { urlsOf } from '../adapters/urls.js'
import type { Middleware } from '../adapters/express.js'
import { isLoopback } from '../contract/authority.js'
import { isControlPath } from '../contract/control-path.js'
import { EmulatorCore } from '../emulator.js'
import { announce } from './announce.js'
import { chooseScenario, type Chosen } from './choose-scenario.js'
import type { Settings } from './flags.js'
import { followScenario } from './follow-scenario.js'
import { assertUsable } from './assert-usable.js'
import { listenSomewhere } from './ports.js'
import { requestLog } from './request-log.js'
import type { Terminal } from './terminal.js'

/**
 * Starts the emulator as the command line says and tells the user what there is now. Returns what
 * stops it. Raises `UsageError`, `ScenarioError` or `ListenError`.
 */
export async function serve(
  settings: Settings,
  { version, terminal }: { version: string; terminal: Terminal },
): Promise<() => Promise<void>> {
  await assertUsable(settings)
  const chosen = await chooseScenario(settings.scenario)
  const core = createCore(settings, chosen)
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
  announce({ core, settings, listening, version }, terminal)
  core.journal.subscribe(requestLog(settings.log, terminal))
  return async () => {
    stopFollowing?.()
    core.stop()
    await listening.close()
  }
}

function createCore(settings: Settings, { scenario }: Chosen): EmulatorCore {
  return new EmulatorCore({
    scenario,
    seed: settings.seed,
    clock: {
      mode: settings.clock ?? scenario.clock?.mode ?? 'real',
      speed: settings.speed ?? scenario.clock?.speed,
    },
    apiKeys: settings.apiKeys,
    basePath: settings.basePath,
    openTrainingData: openFromDisk({
      dataRoot: settings.dataRoot,
      confined: !isLoopback(settings.host),
    }),
  })
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
