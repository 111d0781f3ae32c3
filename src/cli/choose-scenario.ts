import { statSync } from 'node:fs'
import { builtInScenario, builtInScenarioNames } from '../service/scenario/built-in-scenarios.js'
import type { Scenario } from '../service/scenario/scenario.js'
import { namesFile } from '../service/scenario/names-file.js'
import { UsageError } from './usage-error.js'

export interface ScenarioChoice {
  scenario: Scenario
  /** The files that were read, with those that the scenario extends. Empty for built-in scenarios. */
  files: string[]
}

/** Whether a text is a path: it has a slash, or the ending of a scenario file. Otherwise it is a name. */
export const isFile = namesFile

/**
 * Loads a scenario.
 *
 * @param readFrom Called with each file before it is read, so also if the scenario cannot be used.
 * @throws {ScenarioError} When the scenario is unknown or cannot be used.
 */
export async function chooseScenario(
  nameOrFile: string,
  readFrom?: (path: string) => void,
): Promise<ScenarioChoice> {
  if (!isFile(nameOrFile)) return { scenario: builtInOrBeside(nameOrFile), files: [] }
  const files: string[] = []
  // Loads the YAML parser and the schema library, which are as large as all other code.
  const { readScenarioFile } = await import('../service/scenario/scenario-file.js')
  const scenario = await readScenarioFile(nameOrFile, (path) => {
    files.push(path)
    readFrom?.(path)
  })
  return { scenario, files }
}

/**
 * Returns a built-in scenario.
 *
 * @throws {UsageError} When there is a file of that name, and no such scenario.
 */
function builtInOrBeside(name: string): Scenario {
  const beside = ['', '.yaml', '.yml', '.json'].map((end) => `./${name}${end}`)
  const file = beside.find((each) => statSync(each, { throwIfNoEntry: false })?.isFile())
  const names: readonly string[] = builtInScenarioNames
  if (file === undefined || names.includes(name)) return builtInScenario(name)
  throw new UsageError(`Unknown scenario "${name}". Did you mean the file ${file}?`)
}
