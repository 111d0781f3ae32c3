import {
  currentScenario,
  info,
  resetRequest,
  scenarioChoice,
  scenarioChosen,
  scenarios,
  type CurrentScenario,
} from './schemas.js'
import { ApiError } from '../contract/errors.js'
import type { Infer } from '../contract/pydantic/schema.js'
import { builtInScenarios } from '../scenario/built-in-scenarios.js'
import type { Scenario } from '../scenario/scenario.js'
import type { Emulator, WhichScenario } from '../emulator/emulator.js'
import { infoOf, namedScenario } from './info.js'
import { orRefusal } from './or-refusal.js'
import { control } from './row.js'
import { shownScenario } from '../scenario/shown.js'

const listScenarios = control({
  id: 'listScenarios',
  method: 'GET',
  path: '/_emulator/scenarios',
  summary: 'The scenarios that you can choose by name: your own, then the built-in ones',
  response: scenarios,
  run({ emulator: world }) {
    const { ownScenarios: own } = world
    const others = builtInScenarios.filter(({ name }) => !own.some((each) => each.name === name))
    return { scenarios: [...own, ...others].map((each) => namedScenario(each, world)) }
  },
})

const readScenario = control({
  id: 'readScenario',
  method: 'GET',
  path: '/_emulator/scenario',
  summary: 'The current scenario, and its YAML without defaults',
  response: currentScenario,
  async run({ engine }) {
    return textsOf.get(engine.scenario) ?? (await formatScenario(engine.scenario))
  },
})

/** To find the defaults takes many checks of the whole scenario. A scenario never changes. */
const textsOf = new WeakMap<Scenario, CurrentScenario>()

async function formatScenario(current: Scenario): Promise<CurrentScenario> {
  const scenario = shownScenario(current)
  // The YAML writer is loaded when it is needed.
  const { scenarioText } = await import('../scenario/scenario-text.js')
  const text = { scenario, yaml: scenarioText(scenario) }
  textsOf.set(current, text)
  return text
}

const chooseScenario = control({
  id: 'chooseScenario',
  method: 'POST',
  path: '/_emulator/scenario',
  summary: 'Changes the scenario until the next reset; `reset` starts over with it',
  body: scenarioChoice,
  response: scenarioChosen,
  async run({ emulator: world, body }) {
    const which = (await scenarioIn(body, world)) ?? new ApiError(400, PASS_ONE)
    if (which instanceof ApiError) return which
    const refused = orRefusal(() => (body.reset ? world.reset(which) : world.follow(which)))
    if (refused) return refused
    world.journal.note(`control: scenario ${world.scenario.name}`)
    return { scenario: namedScenario(world.scenario, world) }
  },
})

const resetWorld = control({
  id: 'resetWorld',
  method: 'POST',
  path: '/_emulator/reset',
  summary: 'Starts over with the initial scenario; one in the body is for this reset only',
  body: resetRequest,
  response: info,
  async run({ emulator: world, body }) {
    const which = await scenarioIn(body, world)
    if (which instanceof ApiError) return which
    return orRefusal(() => world.reset(which, { seed: body.seed })) ?? infoOf(world)
  },
})

const PASS_ONE =
  'Pass either "name", the name of a built-in scenario, or "scenario", a name or a whole scenario.'

/** The scenario that a body names or contains, if any. */
async function scenarioIn(
  { name, scenario = name }: Infer<typeof resetRequest>,
  { checks }: Emulator,
): Promise<WhichScenario | ApiError | undefined> {
  if (name !== undefined && scenario !== name) return new ApiError(400, PASS_ONE)
  if (typeof scenario === 'object') await checks.load()
  return scenario as WhichScenario | undefined
}

export const scenarioOperations = [listScenarios, readScenario, chooseScenario, resetWorld]
