import { command } from '../command.js'
import { flag, option } from '../options/declare.js'
import { inNoGroup } from '../options/serve.js'
import { anyText, webUrl } from '../values.js'

export const record = command({
  name: 'record',
  describe: 'Record what a client and the real service exchange',
  examples: [
    [
      'record --to recording --training-url https://api.example.com/v1',
      'pass calls on, and record them',
    ],
  ],
  exits: '0 at Ctrl-C; 1 if the recording is incomplete, or cannot begin',
  options: {
    to: option(anyText('a folder'), { describe: 'Folder to record into; it is created' }),
    'training-url': option(webUrl, { describe: 'Base URL of the training API of the service' }),
    'inference-url': option(webUrl, {
      describe: 'Base URL of the inference API of the service',
      defaultDescription: 'that of the training API',
    }),
    ...inNoGroup('port', 'inference-port', 'allow-host', 'cors'),
    contents: flag({ describe: 'Record the contents of messages, too; keys are never recorded' }),
    ...inNoGroup('ready-file', 'log'),
  },
})
