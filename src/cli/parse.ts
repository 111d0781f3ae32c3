import { DEFAULT_SCENARIO } from '../built-in-scenarios.js'
import { readCommandLine } from './command-line.js'
import { readEnvironment, type Environment } from './environment.js'
import type { Settings } from './flags.js'
import type { WebhookTarget } from '../webhooks/targets.js'
import { every, only, type AllGiven } from './given.js'
import { UsageError } from './usage-error.js'

export type Parsed =
  | { kind: 'settings'; settings: Settings }
  /** `--help` or `--version`: what to print. */
  | { kind: 'text'; text: string }

/** Reads the command line and the environment, the first going before the second. Raises `UsageError`. */
export async function parse(
  argv: readonly string[],
  environment: Environment,
  version: string,
): Promise<Parsed> {
  const line = await readCommandLine(argv, version)
  if (line.kind === 'text') return line
  return {
    kind: 'settings',
    settings: toSettings({ ...readEnvironment(environment), ...line.given }),
  }
}

function toSettings(given: AllGiven): Settings {
  return {
    scenario: only(given, 'scenario') ?? DEFAULT_SCENARIO,
    port: only(given, 'port'),
    inferencePort: only(given, 'inference-port'),
    host: only(given, 'host') ?? '127.0.0.1',
    allowedHosts: every(given, 'allow-host'),
    corsOrigins: every(given, 'cors'),
    apiKeys: every(given, 'api-key'),
    isolate: only(given, 'isolate'),
    clock: only(given, 'clock'),
    speed: only(given, 'speed'),
    seed: only(given, 'seed'),
    basePath: only(given, 'base-path'),
    dataRoot: only(given, 'data-root'),
    webhooks: targetsOf(given),
    watch: only(given, 'watch') ?? false,
    log: only(given, 'log') ?? 'pretty',
  }
}

function targetsOf(given: AllGiven): WebhookTarget[] {
  const secret = only(given, 'webhook-secret')
  const urls = every(given, 'webhook')
  if (secret !== undefined && urls.length === 0) {
    throw new UsageError('--webhook-secret signs what goes to --webhook, which was not given.')
  }
  return urls.map((url) => ({ url, secret }))
}
