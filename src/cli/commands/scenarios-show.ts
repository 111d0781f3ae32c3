import { command } from '../command.js'
import { scenarioArgument } from '../options/scenario.js'

export const scenariosShow = command({
  name: 'scenarios show',
  argument: scenarioArgument,
  describe: 'Print a scenario as YAML',
  examples: [['scenarios show failing-job', 'what it consists of']],
})
