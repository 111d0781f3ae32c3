import { command } from '../command.js'
import { flag, requiredArgument } from '../options/declare.js'
import { runningOptions } from '../options/running.js'
import { anyText } from '../values.js'

export const snapshotExport = command({
  name: 'snapshot export',
  argument: requiredArgument('file', anyText('a file, or - for stdout'), {
    describe: 'The file to write; - is stdout',
    canBeDash: true,
  }),
  describe: 'Write the state of a running emulator to a file',
  examples: [
    ['snapshot export state.json', 'save what has happened so far'],
    ['snapshot export - --without-secrets', 'print it, without keys and secrets'],
  ],
  exits: '1 if no emulator answers, or if it refuses the call',
  options: {
    ...runningOptions,
    'without-secrets': flag({ describe: 'Leave out API keys, secrets and deliveries' }),
  },
})
