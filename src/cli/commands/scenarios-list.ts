import { command } from '../command.js'
import { json } from '../options/output.js'

export const scenariosList = command({
  name: 'scenarios list',
  describe: 'List the built-in scenarios',
  examples: [['scenarios list', 'names and descriptions']],
  options: { json },
})
