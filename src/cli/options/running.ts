import { anyText, token, webUrl } from '../values.js'
import { option } from './declare.js'
import { DEFAULT_URL } from './serve.js'

/** How a command finds a running emulator. The aliases are older names. */
export const runningOptions = {
  emulator: {
    ...option(webUrl, {
      describe: 'Running emulator: any URL of its training API',
      defaultDescription: `SVTRAIN_CONTROL_URL, or ${DEFAULT_URL}`,
    }),
    alias: 'url',
  },
  'control-token': {
    ...option(token, {
      describe: 'Token for calls that change something',
      defaultDescription: 'SVTRAIN_CONTROL_TOKEN',
    }),
    alias: 'token',
  },
  world: option(anyText('a key or a name'), {
    describe: 'World of --isolate: its API key, or its name, such as world-1',
  }),
} as const
