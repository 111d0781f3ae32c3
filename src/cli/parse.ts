import { readCommandLine } from './command-line.js'
import type { Environment } from './environment.js'
import type { Settings } from './flags.js'
import { settingsFrom } from './settings.js'

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
  return { kind: 'settings', settings: settingsFrom(line.given, environment) }
}
