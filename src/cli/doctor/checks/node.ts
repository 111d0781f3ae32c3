import { supportedNode } from '../../../base/text/version.js'
import { isInRange } from '../../../base/text/version-range.js'
import { diagnosis, type Check } from '../check.js'

export const node: Check = {
  name: 'node',
  look: ({ node: running }) =>
    diagnosis(`Node ${running} is supported.`, [
      isInRange(running, supportedNode)
        ? undefined
        : {
            what: `Node ${running} is not supported.`,
            effect: 'The emulator may not start, or may fail later.',
            repair: `Install a version in ${supportedNode}.`,
          },
    ]),
}
