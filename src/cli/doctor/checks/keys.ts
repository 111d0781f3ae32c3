import { CLIENTS_VARIABLES } from '../../../base/text/vendor/keys.js'
import { SDK_KEY, SDK_MODE } from '../../../base/text/vendor/sdk-variables.js'
import { isHere } from '../../../base/text/near-address.js'
import { isSdkKey } from '../../../emulator/sdk-variables.js'
import { diagnosis, type Check, type Machine, type Problem } from '../check.js'

export const keys: Check = {
  name: 'keys',
  async look(machine) {
    const { environment, program } = machine
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
      await refusedKey(machine),
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

/** Asks an emulator on this machine, and nobody else: the key may be that of the service. */
async function refusedKey(machine: Machine): Promise<Problem | undefined> {
  const { SVTRAIN_API_KEY: key = '', SVTRAIN_BASE_URL: base = '' } = machine.environment
  if (key === '' || !URL.canParse(base)) return undefined
  const { origin, hostname, port, pathname } = new URL(base)
  if (port === '' || !isHere(hostname, machine.ownHosts)) return undefined
  const answers = await machine.answersAt(Number(port), hostname)
  if (typeof answers === 'string' || answers.api !== 'training') return undefined
  const shown = origin + pathname.replace(/\/$/, '')
  if (!(await machine.refusesKey(`${shown}/health`, key))) return undefined
  return {
    what: `The emulator at ${shown} refuses the key in SVTRAIN_API_KEY.`,
    effect: 'Each call of a client that reads both variables is answered with 401.',
    repair: `Set the key with which the emulator was started: its --api-key, or one of auth.keys. Or let exec set both: ${machine.program} exec -- <command>`,
  }
}
