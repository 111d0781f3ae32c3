import { readEnvironment, type Environment } from './environment.js'
import type { Settings } from './flags.js'
import { every, only, type AllGiven } from './given.js'
import { UsageError } from './usage-error.js'
import type { WebhookReceiver } from '../webhooks/receivers.js'

/** What was written, and what the environment says where nothing was. Raises `UsageError`. */
export function settingsFrom(written: AllGiven, environment: Environment): Settings {
  const given = { ...readEnvironment(environment), ...written }
  return {
    scenario: only(given, 'scenario'),
    port: only(given, 'port'),
    inferencePort: only(given, 'inference-port'),
    host: only(given, 'host') ?? '127.0.0.1',
    allowedHosts: every(given, 'allow-host'),
    corsOrigins: every(given, 'cors'),
    controlToken: only(given, 'control-token'),
    apiKeys: every(given, 'api-key'),
    isolate: only(given, 'isolate'),
    clock: only(given, 'clock'),
    speed: only(given, 'speed'),
    seed: only(given, 'seed'),
    basePath: only(given, 'base-path'),
    dataRoot: only(given, 'data-root'),
    data: only(given, 'data'),
    importFrom: only(given, 'import'),
    ...exportOf(given),
    webhooks: targetsOf(given),
    ...sinkOf(given),
    watch: only(given, 'watch') ?? false,
    log: only(given, 'log') ?? 'pretty',
  }
}

function sinkOf(given: AllGiven): Pick<Settings, 'sink' | 'sinkPort'> {
  const sink = only(given, 'sink') ?? false
  const sinkPort = only(given, 'sink-port')
  if (sinkPort !== undefined && !sink) {
    throw new UsageError('--sink-port is where --sink receives, which was not given.')
  }
  return { sink, sinkPort }
}

function exportOf(given: AllGiven): Pick<Settings, 'exportOnExit' | 'exportSecrets'> {
  const exportOnExit = only(given, 'export-on-exit')
  const without = only(given, 'without-secrets') ?? false
  if (without && exportOnExit === undefined) {
    throw new UsageError(
      '--without-secrets is about what --export-on-exit writes, which was not given.',
    )
  }
  return { exportOnExit, exportSecrets: !without }
}

function targetsOf(given: AllGiven): WebhookReceiver[] {
  const secret = only(given, 'webhook-secret')
  const urls = every(given, 'webhook')
  if (secret !== undefined && urls.length === 0) {
    throw new UsageError('--webhook-secret signs what goes to --webhook, which was not given.')
  }
  return urls.map((url) => ({ url, secret }))
}
