import { boolean } from '../../../service/contract/pydantic/boolean.js'
import { defaulted, optional } from '../../../service/contract/pydantic/fields.js'
import { string } from '../../../service/contract/pydantic/string.js'
import {
  checkRequest,
  resetRequest,
  scenarioQuery,
  type ScenarioChecked,
} from '../../../emulator/control/schemas.js'
import { counted } from '../../../base/text/counted.js'
import { paged } from '../paged.js'
import { ENDS, pageField, READS, tool, ToolError, withWords } from '../tool.js'

const listScenarios = tool({
  name: 'list_scenarios',
  title: 'List scenarios',
  description:
    'Lists the scenarios: each decides what happens to jobs, chats and webhooks. Filter by a word such as "fail" or "webhook".',
  input: {
    filter: optional(string, { description: 'Words that the name or the description contains.' }),
    page: pageField,
  },
  annotations: READS,
  async run({ filter = '', page }, { call }) {
    const { scenarios } = await call('GET /scenarios')
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
    const lines = scenarios
      .map(({ name, description }) => `${name}: ${description}`)
      .filter((line) => words.every((word) => line.toLowerCase().includes(word)))
    const none = `None of the ${scenarios.length} scenarios has these words: ${filter}. Leave the filter out to see all.`
    return paged(lines, { page, none })
  },
})

const readScenario = tool({
  name: 'read_scenario',
  title: 'Read scenario',
  description: 'Returns a scenario as YAML: the current one, or another one by name.',
  input: {
    name: withWords(
      scenarioQuery.fields.name,
      'A name of list_scenarios. By default, the current one.',
    ),
    page: pageField,
  },
  annotations: READS,
  async run({ name, page }, { call }) {
    const { yaml, has_functions: functions } = await call('GET /scenario', { query: { name } })
    const head = functions ? 'It has functions, which YAML cannot contain.' : ''
    return paged(yaml.trimEnd().split('\n'), { page, head })
  },
})

const WHOLE_TEXT = 'The whole text of the scenario, as YAML.'

const checkScenario = tool({
  name: 'check_scenario',
  title: 'Check scenario',
  description:
    'Checks the text of a scenario and changes nothing. Names each mistake with its line and what is allowed.',
  input: { yaml: withWords(checkRequest.fields.yaml, WHOLE_TEXT) },
  annotations: READS,
  async run({ yaml }, { call }) {
    const checked = await call('POST /scenario/check', { body: { yaml } })
    const { scenario, problems } = checked
    if (scenario) return `The scenario "${scenario.name}" is valid.`
    const count = counted(problems.length, 'mistake')
    return paged(problemLines(checked), { page: 1, head: `The scenario has ${count}:` })
  },
})

/** Describes what is wrong with the text of a scenario, a line for each mistake. */
export function problemLines({ problems }: ScenarioChecked): string[] {
  return problems.map(({ line, column, place, message }) => {
    const at = line === null ? '' : `line ${line}, column ${column}: `
    return `${at}${place}: ${message}`
  })
}

const startScenario = tool({
  name: 'start_scenario',
  title: 'Start scenario',
  description:
    'Starts over in a fresh world with a scenario: a name of list_scenarios, or a text. All jobs, models and requests are removed. With reset false, they stay, and the scenario counts from now on.',
  input: {
    name: withWords(resetRequest.fields.name, 'The name of a scenario, such as failing-job.'),
    yaml: withWords(resetRequest.fields.yaml, WHOLE_TEXT),
    seed: withWords(
      resetRequest.fields.seed,
      'The seed of all draws. The same seed gives the same run.',
    ),
    reset: defaulted(boolean, () => true, { description: 'Whether to remove what exists.' }),
  },
  annotations: ENDS,
  async run({ name, yaml, seed, reset }, { call }) {
    if ((name === undefined) === (yaml === undefined)) {
      throw new ToolError('Pass either "name" or "yaml". list_scenarios lists the names.')
    }
    if (!reset) {
      if (seed !== undefined) {
        throw new ToolError('seed: a seed needs a fresh world. Leave it out, or pass reset true.')
      }
      const { scenario } = await call('POST /scenario', { body: { name, yaml, reset } })
      return `The scenario "${scenario.name}" counts from now on: ${scenario.description}`
    }
    const info = await call('POST /reset', { body: { name, yaml, seed } })
    const { scenario } = info
    return `Started over with the scenario "${scenario.name}", seed ${info.seed}: ${scenario.description}`
  },
})

export const scenarioTools = [listScenarios, readScenario, checkScenario, startScenario]
