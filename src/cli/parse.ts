import { DEFAULT_SCENARIO } from '../built-in-scenarios.js'
import { readCommandLine } from './command-line.js'
import { readEnvironment, type Environment } from './environment.js'
import type { Settings } from './flags.js'
import { every, only, type AllGiven } from './given.js'

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
    controlToken: only(given, 'control-token'),
    apiKeys: every(given, 'api-key'),
    clock: only(given, 'clock'),
    speed: only(given, 'speed'),
    seed: only(given, 'seed'),
    basePath: only(given, 'base-path'),
    dataRoot: only(given, 'data-root'),
    watch: only(given, 'watch') ?? false,
    log: only(given, 'log') ?? 'pretty',
  }
}
