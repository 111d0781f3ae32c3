import { resolve } from 'node:path'
import { builtInScenario } from '../built-in-scenarios.js'
import type { Scenario } from '../engine/scenario.js'
import { namesFile } from '../extend-scenario.js'

export interface Chosen {
  scenario: Scenario
  /** Where it was read from, if it is not built in. */
  file?: string
}

/** A name has neither a slash nor one of the endings of a scenario file. */
export const isFile = namesFile

/** Raises `ScenarioError`. */
export async function chooseScenario(nameOrFile: string): Promise<Chosen> {
  if (!isFile(nameOrFile)) return { scenario: builtInScenario(nameOrFile) }
  const file = resolve(nameOrFile)
  // The YAML parser and the schema library are as heavy as all the rest: only for those who need them.
  const { readScenarioFile } = await import('../scenario-file.js')
  return { scenario: await readScenarioFile(file), file }
}
