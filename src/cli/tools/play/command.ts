import { command } from '../../command.js'
import { json } from '../../options/output.js'
import { scenarioArgument } from '../../options/scenario.js'
import { inNoGroup } from '../../options/serve.js'

export const play = command({
  name: 'play',
  argument: scenarioArgument,
  describe: 'Run a scenario in virtual time and print what happens',
  examples: [
    ['play failing-job', 'print what a client sees'],
    ['play ./mine.yaml --seed 7', 'your scenario, with other random draws'],
  ],
  options: { json, ...inNoGroup('seed') },
})
