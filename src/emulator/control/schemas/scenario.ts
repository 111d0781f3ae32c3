import { anything, boolean, string } from '../../../service/contract/pydantic/scalars.js'
import { dictionary, list, nullable } from '../../../service/contract/pydantic/containers.js'
import { defaulted, optional, required } from '../../../service/contract/pydantic/fields.js'
import { boundedInteger, integer } from '../../../service/contract/pydantic/integer.js'
import { model } from '../../../service/contract/pydantic/model.js'
import type { Infer } from '../../../service/contract/pydantic/schema.js'
import { union } from '../../../service/contract/pydantic/union.js'
import type { Scenario } from '../../../service/scenario/scenario.js'
import { controlBody, controlQuery, objectOf } from './body-and-query.js'

export const namedScenario = model('NamedScenario', {
  name: required(string, { description: 'The name of the scenario.' }),
  description: required(string, { description: 'What happens in it.' }),
  built_in: required(boolean, { description: 'Whether it is part of the package.' }),
})

export const scenarios = model('Scenarios', { scenarios: list(namedScenario) })
export const currentScenario = model('CurrentScenario', {
  scenario: objectOf<Scenario>(),
  yaml: required(string, { description: 'The scenario as YAML, without defaults.' }),
  has_functions: required(boolean, {
    description: 'Whether it has functions, which only code can contain: the YAML cannot be used.',
  }),
})
export const scenarioQuery = controlQuery({
  name: optional(string, {
    description:
      'The name of a scenario of `GET /_emulator/scenarios`. By default, the current one.',
  }),
})
export const scenarioSchema = dictionary(anything)
export const checkRequest = controlBody('CheckRequest', {
  yaml: required(string, { description: 'A scenario as YAML or JSON.' }),
})
export const scenarioChecked = model('ScenarioChecked', {
  scenario: required(nullable(namedScenario), { description: 'Null if the text is not valid.' }),
  problems: required(
    list(
      model('ScenarioProblem', {
        place: required(string, {
          description: 'The path of the wrong value: `faults[0].status`.',
        }),
        message: required(string, { description: 'What is wrong, and what is allowed.' }),
        line: required(nullable(integer), { description: 'The line in the text, from 1.' }),
        column: required(nullable(integer), { description: 'The column in the line, from 1.' }),
        allowed: required(list(string), {
          description: 'The allowed values or keys, if they can be listed.',
        }),
        nearest: required(nullable(string), {
          description: 'The one that is most similar to what was written.',
        }),
      }),
    ),
    { description: 'Everything that is wrong, by line.' },
  ),
  notes: required(list(string), {
    description: 'What is valid, and may not be what its author meant.',
  }),
})
const whichScenario = {
  name: optional(string, {
    description:
      'The name of a built-in scenario, or of the one that the emulator was started with.',
  }),
  scenario: optional(union([string, dictionary(anything)]), {
    description: 'A name as in `name`, or a whole scenario.',
  }),
  yaml: optional(string, {
    description:
      'A whole scenario as YAML. Values that were not shown stay as in the scenario here.',
  }),
}
export const scenarioChoice = controlBody('ScenarioChoice', {
  ...whichScenario,
  reset: defaulted(boolean, () => false, {
    description: 'Whether to start over with it. By default, existing records stay.',
  }),
})
export const scenarioChosen = model('ScenarioChosen', { scenario: namedScenario })
export const aSeed = boundedInteger({ ge: 0, le: Number.MAX_SAFE_INTEGER })
export const resetRequest = controlBody('ResetRequest', {
  ...whichScenario,
  seed: optional(aSeed, {
    description: 'The seed of the fresh world, for this reset only.',
  }),
})

/** The name and the description of a scenario. */
export type NamedScenario = Infer<typeof namedScenario>
/** What is wrong with the text of a scenario. */
export type ScenarioChecked = Infer<typeof scenarioChecked>
/** The current scenario, as an object and as YAML. */
export type CurrentScenario = Infer<typeof currentScenario>
