import { command } from '../command.js'
import { optionalArgument } from '../options/declare.js'
import { secret, signatureForm } from '../options/signature.js'
import { anyText } from '../values.js'

export const sinkSign = command({
  name: 'sink sign',
  argument: optionalArgument('file', anyText('a file'), {
    describe: 'The file; default: stdin',
    canBeDash: true,
  }),
  describe: 'Print the signature of a file, or of stdin',
  examples: [
    ['sink sign payload.json --secret s3cret', 'print the signature'],
    [
      'sink sign payload.json --secret s3cret --prefix sha256=',
      'with the prefix that your receiver expects',
    ],
  ],
  options: { secret, ...signatureForm },
})
