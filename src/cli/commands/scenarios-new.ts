import { command } from '../command.js'
import { requiredArgument } from '../options/declare.js'
import { anyText } from '../values.js'

export const scenariosNew = command({
  name: 'scenarios new',
  argument: requiredArgument('name', anyText('a name'), { describe: 'Its name' }),
  describe: 'Write a scenario file to start from',
  examples: [['scenarios new my-scenario', 'write my-scenario.yaml']],
})
