import type { Listening } from '../adapters/listen.js'
import { isLoopback } from '../contract/authority.js'
import { CONTROL_ROOT } from '../contract/control-path.js'
import { contentsOf } from '../engine/persistence/contents.js'
import type { SavedWorld } from '../engine/persistence/restore.js'
import { LOCAL_API_KEY, type EmulatorCore } from '../emulator.js'
import { banner, readyEntry, type Started } from './banner.js'
import { DEFAULT_INFERENCE_PORT, DEFAULT_PORT, type Settings } from './flags.js'
import { printableJson } from './printable.js'
import type { Terminal } from './terminal.js'

interface Announced {
  core: EmulatorCore
  /** What was taken up. */
  saved: SavedWorld | undefined
  settings: Settings
  listening: Listening
  version: string
}

/** Tells the user, or the program that reads us, what there is now. */
export function announce(announced: Announced, terminal: Terminal): void {
  const started = startedFrom(announced)
  terminal.write(
    announced.settings.log === 'json'
      ? printableJson(readyEntry(started))
      : banner(started, terminal.paint),
  )
}

function startedFrom({ core, saved, settings, listening, version }: Announced): Started {
  const { trainingUrl, inferenceUrl, seed, clock, scenario } = core
  const { name, description } = scenario
  return {
    version,
    pid: process.pid,
    trainingUrl,
    inferenceUrl,
    apiKey: scenario.auth.keys === undefined ? LOCAL_API_KEY : undefined,
    controlToken: settings.controlToken === undefined ? core.controlToken : undefined,
    scenario: { name, description },
    seed,
    clock: { mode: clock.mode, speed: clock.speed },
    webhooks: core.webhookTargets.map(({ url, secret, generated }) => {
      return { url, secret: generated ? secret : undefined }
    }),
    data: settings.data,
    takenUp: saved && contentsOf(saved),
    notes: [...movedPorts(settings, listening), ...warnings(settings, clock.mode)],
  }
}

function movedPorts(settings: Settings, { port, inferencePort }: Listening): string[] {
  const ports = [
    { api: 'training', asked: settings.port, usual: DEFAULT_PORT, now: port },
    {
      api: 'inference',
      asked: settings.inferencePort,
      usual: DEFAULT_INFERENCE_PORT,
      now: inferencePort,
    },
  ]
  return ports
    .filter(({ asked, usual, now }) => asked === undefined && now !== usual)
    .map(({ api, usual, now }) => `Port ${usual} is taken, so the ${api} API is on ${now}.`)
}

function warnings({ host, speed, isolate }: Settings, mode: string): string[] {
  const told: string[] = []
  if (isolate) told.push('Each API key has a world of its own.')
  if (!isLoopback(host)) told.push(`Bound to ${host}: other machines can reach it.`)
  if (speed !== undefined && mode !== 'real') {
    told.push(`The speed has no effect: the clock is ${mode}.`)
  }
  if (mode === 'manual') {
    told.push(
      `The clock is manual: nothing happens until it is moved, by POST ${CONTROL_ROOT}/clock/advance or the client.`,
    )
  }
  return told
}
