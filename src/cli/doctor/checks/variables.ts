import { readConfigFile } from '../../config-file.js'
import { optionsIn, refuseUnknownVariables } from '../../environment.js'
import type { DeclaredOptions } from '../../options/declare.js'
import { servedOptions } from '../../options/serve.js'
import { UsageError } from '../../usage-error.js'
import { diagnosis, type Check } from '../check.js'

const options: DeclaredOptions = servedOptions

export const variables: Check = {
  name: 'variables',
  async look({ environment, folder }) {
    const config = await readConfigFile(folder, environment)
    try {
      refuseUnknownVariables(environment)
      if (config.problem !== undefined) throw new UsageError(config.problem)
      const given = [config.options, optionsIn(environment)].flatMap((each) => Object.entries(each))
      for (const [name, value] of given) options[name]!.read(name, value)
      const also = config.name === undefined ? '' : ` So does each key of ${config.name}.`
      return diagnosis(`Each SVTRAIN_EMULATOR_ variable sets an option.${also}`, [])
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
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
