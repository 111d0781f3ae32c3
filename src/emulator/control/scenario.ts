import {
  checkRequest,
  currentScenario,
  resetRequest,
  scenarioChecked,
  scenarioChoice,
  scenarioChosen,
  scenarioQuery,
  scenarioSchema,
  scenarios,
  type CurrentScenario,
  type ScenarioChecked,
} from './schemas/scenario.js'
import { info } from './schemas/info.js'
import { ApiError } from '../../service/contract/errors.js'
import type { Infer } from '../../service/contract/pydantic/schema.js'
import { builtInScenarios } from '../../service/scenario/all-built-in-scenarios.js'
import type { Scenario } from '../../service/scenario/scenario.js'
import type { Emulator } from '../emulator.js'
import type { WhichScenario } from '../emulator-options.js'
import { infoOf, namedScenario } from './info.js'
import { control } from './row.js'
import { ScenarioError, type ScenarioProblem } from '../../service/scenario/scenario-error.js'
import { holdsFunction } from '../../base/text/holds-function.js'
import { didYouMean } from '../../base/text/nearest.js'
import { scenarioNotes } from '../../service/scenario/scenario-notes.js'
import { revealed, shownScenario } from '../../service/scenario/shown.js'

const listScenarios = control({
  id: 'listScenarios',
  method: 'GET',
  path: '/_emulator/scenarios',
  summary: 'The scenarios that you can choose by name: your own, then the built-in ones',
  response: scenarios,
  run({ emulator: world }) {
    return { scenarios: choosableIn(world).map((each) => namedScenario(each, world)) }
  },
})

/** A scenario of your own takes the place of a built-in one with its name. */
function choosableIn({ ownScenarios: own }: Emulator): Scenario[] {
  const others = builtInScenarios.filter(({ name }) => !own.some((each) => each.name === name))
  return [...own, ...others]
}

const readScenario = control({
  id: 'readScenario',
  method: 'GET',
  path: '/_emulator/scenario',
  summary: 'The current scenario, or another one by name, and its YAML without defaults',
  refusals: [404],
  query: scenarioQuery,
  response: currentScenario,
  async run({ engine, emulator: world, query: { name } }) {
    const all = choosableIn(world)
    const scenario = name === undefined ? engine.scenario : all.find((each) => each.name === name)
    return scenario ? scenarioTextOf(scenario) : new ApiError(404, unknownText(name!, all))
  },
})

function unknownText(name: string, all: readonly Scenario[]): string {
  const names = all.map((each) => each.name)
  const hint = didYouMean(name, names)
  return `Unknown scenario "${name}".${hint} GET /_emulator/scenarios lists all ${names.length}.`
}

/** To find the defaults takes many checks of the whole scenario. A scenario never changes. */
const textsOf = new WeakMap<Scenario, CurrentScenario>()

/** A scenario without secrets, and its YAML without defaults. */
export async function scenarioTextOf(scenario: Scenario): Promise<CurrentScenario> {
  return textsOf.get(scenario) ?? (await formatScenario(scenario))
}

async function formatScenario(current: Scenario): Promise<CurrentScenario> {
  const scenario = shownScenario(current)
  // The YAML writer is loaded when it is needed.
  const { scenarioText } = await import('../../service/scenario/scenario-text.js')
  const yaml = scenarioText(scenario)
  const text = { scenario, yaml, has_functions: holdsFunction(scenario) }
  textsOf.set(current, text)
  return text
}

const readSchema = control({
  id: 'readScenarioSchema',
  method: 'GET',
  path: '/_emulator/scenario/schema',
  summary: 'The JSON Schema of scenarios, for forms and editors',
  response: scenarioSchema,
  async run({ operations }) {
    const { scenarioJsonSchema } = await import('../../service/scenario/scenario-json-schema.js')
    const api = operations.filter(({ host }) => host !== 'control')
    return scenarioJsonSchema(api.map(({ id }) => id))
  },
})

const checkScenario = control({
  id: 'checkScenario',
  method: 'POST',
  path: '/_emulator/scenario/check',
  summary: 'Checks the text of a scenario, and changes nothing',
  body: checkRequest,
  response: scenarioChecked,
  async run({ emulator: world, body: { yaml } }) {
    const result = await readYaml(yaml, world)
    if ('scenario' in result) {
      const { name, description } = result.scenario
      const notes = scenarioNotes(result.scenario)
      return { scenario: { name, description, built_in: false }, problems: [], notes }
    }
    return { scenario: null, problems: result.problems.map(problemJson), notes: [] }
  },
})

type Problem = ScenarioChecked['problems'][number]

function problemJson({ place, message, line, column, allowed, nearest }: ScenarioProblem): Problem {
  return {
    place,
    message,
    line: line ?? null,
    column: column ?? null,
    allowed: [...(allowed ?? [])],
    nearest: nearest ?? null,
  }
}

/** Reads a scenario that a user edited. What was not shown to the user is as in the scenario with that name. */
async function readYaml(yaml: string, { ownScenarios, scenario }: Emulator) {
  const { checkText } = await import('../../service/scenario/scenario-yaml.js')
  return checkText(yaml, (input) => {
    const { name } = Object(input) as { name?: unknown }
    return revealed(input, ownScenarios.find((own) => own.name === name) ?? scenario)
  })
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
    if (body.reset) world.reset(which)
    else world.follow(which)
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
    world.reset(which, { seed: body.seed })
    return infoOf(world)
  },
})

const PASS_ONE =
  'Pass either "name", the name of a built-in scenario, "scenario", a name or a whole scenario, or "yaml", a whole scenario as text.'

const SEND_WHOLE =
  'No call reads a file: send a scenario of your own whole, as the text of its file in "yaml".'

/** The scenario that a body names or contains, if any. */
async function scenarioIn(
  { name, scenario = name, yaml }: Infer<typeof resetRequest>,
  world: Emulator,
): Promise<WhichScenario | ApiError | undefined> {
  const { checks } = world
  if (name !== undefined && scenario !== name) return new ApiError(400, PASS_ONE)
  if (yaml !== undefined) {
    if (scenario !== undefined) return new ApiError(400, PASS_ONE)
    await checks.load()
    const result = await readYaml(yaml, world)
    if ('scenario' in result) return result.scenario
    const { message } = new ScenarioError('The scenario cannot be used', result.problems)
    return new ApiError(400, message)
  }
  if (typeof scenario === 'string') {
    const all = choosableIn(world)
    const isKnown = all.some((each) => each.name === scenario)
    return isKnown ? scenario : new ApiError(400, `${unknownText(scenario, all)} ${SEND_WHOLE}`)
  }
  if (scenario !== undefined) await checks.load()
  return scenario as WhichScenario | undefined
}

export const scenarioOperations = [
  listScenarios,
  readScenario,
  readSchema,
  checkScenario,
  chooseScenario,
  resetWorld,
]
