import { chooseScenario } from '../choose-scenario.js'
import { printableLines } from '../terminal.js'
import type { Run } from '../context.js'

export const scenariosShow: Run<{ scenario: string }> = async (args, { terminal }) => {
  const { scenario } = await chooseScenario(args.scenario)
  const { scenarioText } = await import('../../service/scenario/scenario-text.js')
  terminal.write(printableLines(scenarioText(scenario).trimEnd()))
  return 0
}
