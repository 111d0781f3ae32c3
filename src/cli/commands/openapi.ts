import { command } from '../command.js'
import { flag } from '../options/declare.js'
import { contractOption } from '../options/serve.js'

export const openapi = command({
  name: 'openapi',
  describe: 'Print the OpenAPI document of the training API',
  examples: [
    ['openapi', 'the training API'],
    ['openapi --inference', 'the inference API'],
    ['openapi --contract 2026-01', 'an older contract of the training API'],
  ],
  options: {
    inference: flag({ describe: 'Print the document of the inference API' }),
    contract: contractOption({ describe: 'Version of the contract of the service' }),
  },
})
