import { builtInScenario } from '../scenario/built-in-scenarios.js'
import type { Scenario } from '../scenario/scenario.js'
import { namesFile } from '../scenario/extend-scenario.js'

export interface Chosen {
  scenario: Scenario
  /** Where it was read from, what it extends included; none where all of it is built in. */
  files: string[]
}

/** A name has neither a slash nor one of the endings of a scenario file. */
export const isFile = namesFile

/** Raises `ScenarioError`; what was read until then was told to `readFrom`. */
export async function chooseScenario(
  nameOrFile: string,
  readFrom?: (path: string) => void,
): Promise<Chosen> {
  if (!isFile(nameOrFile)) return { scenario: builtInScenario(nameOrFile), files: [] }
  const files: string[] = []
  // The YAML parser and the schema library are as heavy as all the rest: only for those who need them.
  const { readScenarioFile } = await import('../scenario/scenario-file.js')
  const scenario = await readScenarioFile(nameOrFile, (path) => {
    files.push(path)
    readFrom?.(path)
  })
  return { scenario, files }
}
