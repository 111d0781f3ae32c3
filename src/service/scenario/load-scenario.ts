import { aText, checkArgument } from '../../base/text/options.js'
import type { ScenarioInput } from './scenario.js'

/**
 * Reads a scenario from a YAML, JSON, TypeScript or JavaScript file.
 *
 * @param path - The path of the file, absolute or relative to the current folder.
 * @returns The scenario, for `createEmulator`.
 * @throws {ScenarioError} When the file cannot be read or is not valid. The error lists all problems, with
 * line and column.
 * @throws {OptionsError} When the path is no text.
 * @example
 * const emulator = createEmulator({ scenario: await loadScenario('scenario.yaml') })
 */
export async function loadScenario(path: string): Promise<ScenarioInput> {
  checkArgument('loadScenario', { name: 'path', value: path, kind: aText })
  // Loaded only here: the YAML parser is large, and most tests use a built-in scenario.
  const { readScenarioFile } = await import('./scenario-file.js')
  return readScenarioFile(path)
}
