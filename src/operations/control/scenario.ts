import {
  currentScenario,
  info,
  resetRequest,
  scenarioChoice,
  scenarioChosen,
  scenarios,
  type NamedScenario,
} from '../../contract/control.js'
import { ApiError } from '../../contract/errors.js'
import type { Scenario } from '../../engine/scenario.js'
import { infoOf } from './info.js'
import { control } from './row.js'
import { shownScenario } from './shown.js'

const listScenarios = control({
  id: 'listScenarios',
  method: 'GET',
  path: '/_emulator/scenarios',
  summary: 'The built-in scenarios',
  response: scenarios,
  run: async ({ control: { workshop } }) => ({
    scenarios: (await workshop.scenarios()).map(named),
  }),
})

const readScenario = control({
  id: 'readScenario',
  method: 'GET',
  path: '/_emulator/scenario',
  summary: 'The scenario that is played, and its YAML without what is default',
  response: currentScenario,
  async run({ control: { workshop }, engine }) {
    const scenario = shownScenario(engine.scenario)
    return { scenario, yaml: await workshop.yamlOf(scenario) }
  },
})

const chooseScenario = control({
  id: 'chooseScenario',
  method: 'POST',
  path: '/_emulator/scenario',
  summary: 'Follows another scenario, by name or as it stands here; with `reset`, in a fresh world',
  body: scenarioChoice,
  response: scenarioChosen,
  async run({ control: world, body }) {
    const { name, scenario: given, reset } = body
    if ((name === undefined) === (given === undefined)) {
      return new ApiError(400, 'Pass either "name", of a built-in scenario, or "scenario".')
    }
    const { workshop } = world
    const scenario = await (name === undefined
      ? workshop.readScenario(given)
      : workshop.scenarioNamed(name))
    if (scenario instanceof ApiError) return scenario
    if (reset) world.reset(scenario)
    else world.follow(scenario)
    await world.engine.ready
    world.engine.journal.note(`control: scenario ${scenario.name}`)
    return { scenario: named(scenario) }
  },
})

const resetWorld = control({
  id: 'resetWorld',
  method: 'POST',
  path: '/_emulator/reset',
  summary: 'Begins anew, with another scenario where one is named',
  body: resetRequest,
  response: info,
  async run({ control: world, body }) {
    const name = body.scenario
    const scenario = name === undefined ? undefined : await world.workshop.scenarioNamed(name)
    if (scenario instanceof ApiError) return scenario
    world.reset(scenario)
    await world.engine.ready
    return infoOf(world)
  },
})

function named({ name, description }: Scenario): NamedScenario {
  return { name, description }
}

export const scenarioOperations = [listScenarios, readScenario, chooseScenario, resetWorld]
