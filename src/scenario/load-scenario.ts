import type { ScenarioInput } from './scenario.js'

/**
 * Reads a scenario from a YAML, JSON, TypeScript or JavaScript file.
 *
 * @returns The scenario, for `createEmulator`.
 * @throws {ScenarioError} When it is not valid. The error lists all problems with line and column.
 * @example
 * const emulator = createEmulator({ scenario: await loadScenario('scenario.yaml') })
 */
export async function loadScenario(path: string): Promise<ScenarioInput> {
  // The YAML parser is heavy, and most tests use a built-in scenario.
  const { readScenarioFile } = await import('./scenario-file.js')
  return readScenarioFile(path)
}
