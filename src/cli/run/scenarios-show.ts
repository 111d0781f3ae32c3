import { chooseScenario } from '../choose-scenario.js'
import { printableLines } from '../terminal.js'
import type { Run } from '../command.js'
import type { scenariosShow } from '../commands/scenarios-show.js'

export const runCommand: Run<typeof scenariosShow> = async (args, { terminal }) => {
  const { scenario } = await chooseScenario(args.scenario)
  const { scenarioText } = await import('../../service/scenario/scenario-text.js')
  terminal.write(printableLines(scenarioText(scenario).trimEnd()))
  return 0
}
