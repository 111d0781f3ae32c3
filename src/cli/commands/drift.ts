import { command } from '../command.js'
import { flag, option, optionalArgument } from '../options/declare.js'
import { json, junit } from '../options/output.js'
import { contractOption } from '../options/serve.js'
import { anyText } from '../values.js'

export const drift = command({
  name: 'drift',
  argument: optionalArgument('document', anyText('a file or a URL'), {
    describe: 'The OpenAPI document of the service: a JSON or YAML file, or a URL',
  }),
  describe: 'Compare the service with what the emulator serves',
  examples: [
    ['drift openapi.json', 'differences, and who would notice them'],
    ['drift openapi.json --allow drift.yaml', 'only those that you have not accepted'],
  ],
  exits: '1 if there is a difference that is not allowed, 2 if something cannot be read',
  options: {
    allow: option(anyText('a file'), {
      describe: 'YAML or JSON file that lists the accepted differences',
    }),
    'update-allow': flag({
      describe: 'Write all differences into the file of --allow, and remove stale entries',
    }),
    recording: option(anyText('a folder'), {
      describe: 'Check the answers in this recording as well',
    }),
    inference: flag({
      describe: 'Compare the inference API',
      defaultDescription: 'the API with more operations in common',
    }),
    contract: contractOption({
      describe: 'Version of the contract of the emulator to compare with',
    }),
    all: flag({ describe: 'Show descriptions, titles and other words as well' }),
    junit,
    json,
  },
})
