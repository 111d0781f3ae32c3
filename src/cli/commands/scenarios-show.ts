import { chooseScenario } from '../choose-scenario.js'
import { printableLines } from '../printable.js'
import { readArguments } from './arguments.js'
import type { Run } from './command.js'

export const scenariosShow: Run = async (called, { write }) => {
  const read = await readArguments(called, { flags: {}, takes: 'a name or a file' })
  if (read.kind === 'text') {
    write(read.text)
    return 0
  }
  const { scenario } = await chooseScenario(read.positionals[0]!)
  const { scenarioText } = await import('../../scenario/scenario-text.js')
  write(printableLines(scenarioText(scenario).trimEnd()))
  return 0
}
