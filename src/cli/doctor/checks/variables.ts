import { refuseUnknownVariables } from '../../environment.js'
import { UsageError } from '../../usage-error.js'
import { diagnosis, type Check } from '../check.js'

export const variables: Check = {
  name: 'variables',
  look({ environment }) {
    try {
      refuseUnknownVariables(environment)
      return diagnosis('Each SVTRAIN_EMULATOR_ variable sets an option.', [])
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      return diagnosis('', [
        {
          what: error.message,
          effect: 'No emulator starts from the command line.',
          repair: 'Correct the name, or unset the variable.',
        },
      ])
    }
  },
}
