import type { ScenarioInput } from './scenario.js'

/**
 * Reads a scenario from a YAML, JSON or TypeScript file, to be given to `createEmulator`. Raises `ScenarioError`:
 * what is wrong, where, line and column, and what was probably meant.
 */
export async function loadScenario(path: string): Promise<ScenarioInput> {
  // The YAML parser is heavy, and most tests name a built-in scenario.
  const { readScenarioFile } = await import('./scenario-file.js')
  return readScenarioFile(path)
}
