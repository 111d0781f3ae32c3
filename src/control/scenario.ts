import {
  currentScenario,
  info,
  resetRequest,
  scenarioChoice,
  scenarioChosen,
  scenarios,
  type NamedScenario,
} from './schemas.js'
import { ApiError } from '../contract/errors.js'
import type { Infer } from '../contract/pydantic/schema.js'
import type { Scenario } from '../scenario/scenario.js'
import type { Controlled } from './controlled.js'
import { infoOf } from './info.js'
import { control } from './row.js'
import { shownScenario } from '../scenario/shown.js'

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
  summary: 'The current scenario, and its YAML without defaults',
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
  summary: 'Changes the scenario until the next reset; `reset` starts over with it',
  body: scenarioChoice,
  response: scenarioChosen,
  async run({ control: world, body }) {
    const scenario = (await scenarioIn(body, world)) ?? new ApiError(400, PASS_ONE)
    if (scenario instanceof ApiError) return scenario
    if (body.reset) world.reset(scenario)
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
  summary: 'Starts over with the initial scenario; one in the body is for this reset only',
  body: resetRequest,
  response: info,
  async run({ control: world, body }) {
    const scenario = await scenarioIn(body, world)
    if (scenario instanceof ApiError) return scenario
    world.reset(scenario)
    await world.engine.ready
    return infoOf(world)
  },
})

const PASS_ONE =
  'Pass either "name", the name of a built-in scenario, or "scenario", a name or a whole scenario.'

/** The scenario that a body names or contains, if any. */
async function scenarioIn(
  { name, scenario = name }: Infer<typeof resetRequest>,
  { workshop }: Controlled,
): Promise<Scenario | ApiError | undefined> {
  if (name !== undefined && scenario !== name) return new ApiError(400, PASS_ONE)
  if (scenario === undefined) return undefined
  return typeof scenario === 'string'
    ? workshop.scenarioNamed(scenario)
    : workshop.readScenario(scenario)
}

function named({ name, description }: Scenario): NamedScenario {
  return { name, description }
}

export const scenarioOperations = [listScenarios, readScenario, chooseScenario, resetWorld]
