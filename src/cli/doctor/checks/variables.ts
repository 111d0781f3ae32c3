import { optionsIn, refuseUnknownVariables } from '../../environment.js'
import type { DeclaredOptions } from '../../options/declare.js'
import { servedOptions } from '../../options/serve.js'
import { UsageError } from '../../usage-error.js'
import { diagnosis, type Check } from '../check.js'

const options: DeclaredOptions = servedOptions

export const variables: Check = {
  name: 'variables',
  look({ environment }) {
    try {
      refuseUnknownVariables(environment)
      for (const [name, given] of Object.entries(optionsIn(environment))) {
        options[name]!.read(name, given)
      }
      return diagnosis('Each SVTRAIN_EMULATOR_ variable sets an option.', [])
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      return diagnosis('', [
        {
          what: error.message,
          effect: 'No emulator starts from the command line.',
          repair: 'Correct the variable, or unset it.',
        },
      ])
    }
  },
}
