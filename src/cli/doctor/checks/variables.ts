import { basename } from 'node:path'
import { ScenarioError } from '../../../service/scenario/scenario-error.js'
import { assertUsable } from '../../assert-usable.js'
import { chooseScenario } from '../../choose-scenario.js'
import { UsageError } from '../../usage-error.js'
import { diagnosis, type Check } from '../check.js'
import { settingsOf } from '../settings-of.js'

export const variables: Check = {
  name: 'variables',
  async look(machine) {
    try {
      const settings = await settingsOf(machine)
      const { config, scenario } = settings
      await assertUsable(settings)
      const { files } = scenario === undefined ? { files: [] } : await chooseScenario(scenario)
      const also = config === undefined ? '' : ` So does each key of ${config}.`
      const read = files.length === 0 ? '' : ` ${basename(files[0]!)} is a valid scenario.`
      return diagnosis(`Each SVTRAIN_EMULATOR_ variable sets an option.${also}${read}`, [])
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof ScenarioError)) throw error
      return diagnosis('', [
        {
          what: error.message,
          effect: 'No emulator starts from the command line.',
          repair: 'Correct it, or remove it.',
        },
      ])
    }
  },
}
