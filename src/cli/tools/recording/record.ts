import { command } from '../../command.js'
import { flag, option } from '../../options/declare.js'
import { allowHostOutOption, interceptOption } from '../../options/intercept.js'
import { inNoGroup } from '../../options/serve.js'
import { anyText, webUrl } from '../../values.js'

export const record = command({
  name: 'record',
  takesRest: true,
  describe: 'Record what a client and the real service exchange',
  examples: [
    [
      'record --to recording --training-url https://api.example.com/v1',
      'pass calls on, and record them',
    ],
    [
      'record --to recorded-loop --intercept -- python train.py',
      'record a program that calls the real service, unchanged',
    ],
  ],
  exits:
    '0 at Ctrl-C; with a command, that of the command; 1 if the recording is incomplete, or cannot begin',
  options: {
    to: option(anyText('a folder'), { describe: 'Folder to record into; it is created' }),
    'training-url': option(webUrl, { describe: 'Base URL of the training API of the service' }),
    'inference-url': option(webUrl, {
      describe: 'Base URL of the inference API of the service',
      defaultDescription: 'that of the training API',
    }),
    ...inNoGroup('port', 'inference-port', 'allow-host', 'cors'),
    intercept: interceptOption({
      describe: 'Run a command that calls the real hosts of the service, and record what it calls',
    }),
    'allow-host-out': allowHostOutOption(),
    contents: flag({ describe: 'Record the contents of messages, too; keys are never recorded' }),
    ...inNoGroup('ready-file', 'log'),
  },
})
