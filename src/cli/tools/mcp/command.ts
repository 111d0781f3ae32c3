import { command } from '../../command.js'
import { runningOptions } from '../../options/running.js'
import { serveOptions } from '../../options/serve.js'

export const mcp = command({
  name: 'mcp',
  describe: 'Serve MCP on stdin and stdout, for coding assistants',
  examples: [
    ['mcp', 'what an assistant starts: a server with its own emulator'],
    ['mcp --scenario failing-job --seed 7', 'its emulator starts with a scenario'],
    ['mcp --emulator http://127.0.0.1:4600', 'the tools act on a running emulator'],
  ],
  exits: '0 when stdin ends, or at Ctrl-C; 1 if no emulator answers at --emulator',
  emulator: serveOptions,
  options: {
    ...runningOptions,
    'control-token': {
      ...runningOptions['control-token'],
      describe: 'Token for calls that change something, of either emulator',
    },
    emulator: {
      ...runningOptions.emulator,
      defaultDescription: 'its own emulator on free ports, with the clock instant',
    },
  },
})
