import { interceptedAddress } from '../run/intercepted-address.js'
import { ALLOWED_HOST, isAllowedHost } from '../../emulator/intercept/allowed-host.js'
import type { Value } from '../values.js'
import {
  flag,
  listOption,
  optionalListOption,
  type Help,
  type OptionDeclaration,
} from './declare.js'

/** Options of a command of the user that calls the real hosts of the service. */

/** Declares `--intercept`. */
export function interceptOption({ describe, ...help }: Help): OptionDeclaration<string[]> {
  return optionalListOption(interceptedAddress, {
    ...help,
    describe: `${describe}; alone, or with documented, those of the documented service`,
  })
}

const allowedHost: Value<string> = {
  takes: ALLOWED_HOST,
  read: (text) => (isAllowedHost(text) ? text : undefined),
}

/** Declares `--allow-host-out`. */
export function allowHostOutOption(help: Partial<Help> = {}): OptionDeclaration<string[]> {
  return listOption(allowedHost, {
    describe: 'With --intercept, let the command call this host as well',
    defaultDescription: 'no other host',
    ...help,
  })
}

/** How a command is kept from the real service. */
export const intercepting = {
  intercept: interceptOption({
    describe: 'Answer the real hosts of the service with the emulator, through a proxy',
  }),
  'allow-host-out': allowHostOutOption(),
  network: flag({
    describe:
      'With --no-network, the command reaches nothing but the emulator and its own processes (Linux)',
    defaultDescription: 'it may reach all hosts',
  }),
}
