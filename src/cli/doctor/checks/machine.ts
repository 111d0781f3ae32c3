import { accessSync, constants } from 'node:fs'
import { isLoopback } from '../../../base/text/near-address.js'
import { unusableTemporaryFolder } from '../../../emulator/adapters/own-folder.js'
import { DEFAULT_PORT } from '../../options/serve.js'
import { diagnosis, type Check } from '../check.js'

export const machine: Check = {
  name: 'machine',
  async look({ addressesOf, temporaryFolder }) {
    const found = await addressesOf('localhost')
    const other = found.filter((address) => !isLoopback(address))
    return diagnosis(`localhost is ${found.join(' and ')}, and ${temporaryFolder} takes files.`, [
      found.length === 0 || other.length > 0
        ? {
            what:
              found.length === 0
                ? 'localhost has no address.'
                : `localhost is ${other.join(' and ')}, which is not a loopback address.`,
            effect: `A program that calls http://localhost:${DEFAULT_PORT} does not reach the emulator.`,
            repair: 'Add the line "127.0.0.1 localhost" to the file hosts, or call 127.0.0.1.',
          }
        : undefined,
      isWritable(temporaryFolder)
        ? undefined
        : {
            ...unusableTemporaryFolder(temporaryFolder),
            effect: 'exec, explore and a proxy cannot keep their files.',
          },
    ])
  },
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}
