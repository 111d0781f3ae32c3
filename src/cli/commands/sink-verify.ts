import { command } from '../command.js'
import { option, optionalArgument } from '../options/declare.js'
import { json } from '../options/output.js'
import { accessToken, secrets, signatureForm } from '../options/signature.js'
import { anyText } from '../values.js'

export const sinkVerify = command({
  name: 'sink verify',
  argument: optionalArgument('file', anyText('a file'), {
    describe: 'The body of the delivery; default: stdin',
    canBeDash: true,
  }),
  describe: 'Check a signature, and explain what is wrong with it',
  examples: [['sink verify payload.json --secret s3cret --signature 5d5c…', 'check a signature']],
  exits: '0 if the signature is valid, otherwise 1',
  options: {
    secret: secrets,
    signature: option(anyText('what the signature header holds'), {
      describe: 'Value of the signature header',
    }),
    token: accessToken,
    ...signatureForm,
    json,
  },
})
