import type { Listening } from '../adapters/listen.js'
import { openFromDisk } from '../adapters/training-data-files.js'
import { isLoopback, urlsOf } from '../adapters/urls.js'
import { EmulatorCore, LOCAL_API_KEY } from '../emulator.js'
import { banner } from './banner.js'
import { chooseScenario, isFile, type Chosen } from './choose-scenario.js'
import { DEFAULT_INFERENCE_PORT, DEFAULT_PORT, type Settings } from './flags.js'
import type { Paint } from './paint.js'
import { listenSomewhere } from './ports.js'
import { requestLog } from './request-log.js'
import { watchFile } from './watch.js'
import { UsageError } from './usage-error.js'

export interface Terminal {
  write: (line: string) => void
  writeError: (line: string) => void
  paint: Paint
}

/**
 * Starts the emulator as the command line says and tells the user what there is now. Returns what
 * stops it. Raises `UsageError`, `ScenarioError` or `ListenError`.
 */
export async function serve(
  settings: Settings,
  { version, terminal }: { version: string; terminal: Terminal },
): Promise<() => Promise<void>> {
  if (settings.watch && !isFile(settings.scenario)) {
    throw new UsageError(
      `--watch needs a scenario file to watch; "${settings.scenario}" is built in. Pass a path with --scenario.`,
    )
  }
  const chosen = await chooseScenario(settings.scenario)
  const core = createCore(settings, chosen)
  const listening = await listenSomewhere(core.handle, {
    host: settings.host,
    port: settings.port,
    inferencePort: settings.inferencePort,
    allowedHosts: settings.allowedHosts,
    corsOrigins: settings.corsOrigins,
    use: await corsLayers(settings.corsOrigins),
  })
  core.servedAt(urlsOf(listening))
  core.journal.subscribe(requestLog(settings.log, terminal))
  announce(core, { settings, listening, version, terminal })
  const stopWatching = settings.watch ? follow(core, chosen, terminal) : undefined
  return async () => {
    stopWatching?.()
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
  return [cors({ origin: origins.includes('*') ? '*' : [...origins] })]
}

interface Announcement {
  settings: Settings
  listening: Listening
  version: string
  terminal: Terminal
}

function announce(core: EmulatorCore, announcement: Announcement): void {
  const { settings, listening, version, terminal } = announcement
  const { trainingUrl, inferenceUrl, seed, clock, scenario } = core
  const apiKey = scenario.auth.keys === undefined ? LOCAL_API_KEY : undefined
  const { name, description } = scenario
  if (settings.log === 'json') {
    const ready = {
      kind: 'ready',
      version,
      trainingUrl,
      inferenceUrl,
      apiKey,
      scenario: name,
      seed,
    }
    terminal.write(JSON.stringify({ ...ready, clock: clock.mode, speed: clock.speed }))
    return
  }
  const started = {
    version,
    trainingUrl,
    inferenceUrl,
    apiKey,
    seed,
    scenario: { name, description },
  }
  const told = clock.mode === 'real' ? `real, speed ${clock.speed}` : clock.mode
  const notes = notesFor(settings, listening)
  terminal.write(banner({ ...started, clock: told, notes }, terminal.paint))
}

function notesFor({ host, port, inferencePort }: Settings, listening: Listening): string[] {
  const notes: string[] = []
  const moved = (asked: number | undefined, usual: number, now: number): void => {
    if (asked === undefined && now !== usual) {
      notes.push(`Port ${usual} is taken, so this one is on ${now}.`)
    }
  }
  moved(port, DEFAULT_PORT, listening.port)
  moved(inferencePort, DEFAULT_INFERENCE_PORT, listening.inferencePort)
  if (!isLoopback(host)) notes.push(`Bound to ${host}: other machines can reach it.`)
  return notes
}

/** A scenario that cannot be used is reported, and the one before it stays. */
function follow(core: EmulatorCore, chosen: Chosen, terminal: Terminal): () => void {
  const { paint, write, writeError } = terminal
  return watchFile(chosen.file!, () => {
    chooseScenario(chosen.file!).then(
      ({ scenario }) => {
        core.follow(scenario)
        write(paint('cyan', `Scenario reloaded: ${scenario.name}. New jobs follow it.`))
      },
      (error: Error) => writeError(`${error.message}\nThe scenario stays as it was.`),
    )
  })
}
