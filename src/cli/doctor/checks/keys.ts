import { CLIENTS_VARIABLES } from '../../../base/text/vendor/keys.js'
import { SDK_KEY, SDK_MODE } from '../../../base/text/vendor/sdk-variables.js'
import { isSdkKey } from '../../../emulator/sdk-variables.js'
import { diagnosis, type Check, type Problem } from '../check.js'

export const keys: Check = {
  name: 'keys',
  look({ environment, program }) {
    const { [SDK_KEY]: key = '', [SDK_MODE]: mode = '' } = environment
    const real = CLIENTS_VARIABLES.map(({ name, effect }): Problem | undefined => {
      if (!isSdkKey(environment[name] ?? '')) return undefined
      return {
        what: `${name} is set.`,
        effect,
        repair: `Lead all calls to the emulator, and keep the key here: ${program} exec --intercept -- <command>`,
      }
    })
    return diagnosis('No key of the service is in the environment.', [
      ...real,
      key === '' || isSdkKey(key)
        ? undefined
        : {
            what: `${SDK_KEY} has fewer than 40 characters.`,
            effect: 'The SDK refuses it before it calls anybody.',
            repair: `Unset it, or run the program by exec, which replaces it: ${program} exec -- <command>`,
          },
      ['offline', 'disabled'].includes(mode)
        ? {
            what: `${SDK_MODE} is ${mode}.`,
            effect: 'The SDK calls nobody, so the emulator sees no runs and no artifacts.',
            repair: `Unset it if your program logs runs: unset ${SDK_MODE}`,
          }
        : undefined,
    ])
  },
}
