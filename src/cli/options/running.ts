import { anyText, token, webUrl } from '../values.js'
import { option } from './declare.js'
import { DEFAULT_URL } from './serve.js'

/** The variables with the address of an emulator, which `exec` sets. The first one that is set counts. */
export const RUNNING_VARIABLES = ['SVTRAIN_CONTROL_URL', 'SVTRAIN_BASE_URL'] as const

/** How a command finds a running emulator. The aliases are older names. */
export const runningOptions = {
  emulator: {
    ...option(webUrl, {
      describe: 'Running emulator: any URL of its training API',
      defaultDescription: [...RUNNING_VARIABLES, DEFAULT_URL].join(', or '),
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
