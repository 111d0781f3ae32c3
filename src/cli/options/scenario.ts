import { builtInScenarioNames } from '../../service/scenario/built-in-names.js'
import { anyText } from '../values.js'
import { requiredArgument } from './declare.js'

/** The names to complete. The scenario can be a file as well. */
export function scenarioNames(): string[] {
  return [...builtInScenarioNames]
}

export const scenarioArgument = requiredArgument('scenario', anyText('a name or a file'), {
  describe: 'A built-in scenario (see `scenarios list`), or a scenario file',
  suggested: scenarioNames,
})
