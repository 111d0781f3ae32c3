import { command } from '../command.js'
import { json } from '../options/output.js'
import { serveOptions } from '../options/serve.js'
import { DEFAULT_TIMEOUT } from '../preflight/defaults.js'
import { exec } from './exec.js'
import { explore } from './explore.js'

export const preflight = command({
  name: 'preflight',
  takesRest: true,
  describe: 'Say whether a command is ready for a long training',
  examples: [
    ['preflight -- python train.py', 'run it, look at its data, kill it once, and read its bill'],
    [
      'preflight --bill=prices.yaml --steps 300 --budget 50usd -- python train.py --steps 3',
      'what would 300 steps cost?',
    ],
  ],
  exits:
    '1 for no-go; 2 if the command cannot be started, calls no emulator, or an option cannot be used; 130 after Ctrl-C',
  // Each run has an emulator with these.
  emulator: {
    scenario: serveOptions.scenario,
    ...explore.emulator,
    clock: { ...explore.emulator.clock, defaultDescription: 'auto; instant with --webhook' },
    'base-model': serveOptions['base-model'],
  },
  options: {
    state: explore.options.state,
    'crash-at': {
      ...explore.options['crash-at'],
      describe: 'Kill the command here',
      defaultDescription: 'while a job in the middle of the run is trained',
    },
    bill: exec.options.bill,
    budget: exec.options.budget,
    steps: exec.options.steps,
    timeout: { ...explore.options.timeout, defaultDescription: DEFAULT_TIMEOUT },
    intercept: {
      ...explore.options.intercept,
      defaultDescription: 'those of the documented service',
    },
    'allow-host-out': explore.options['allow-host-out'],
    network: explore.options.network,
    env: explore.options.env,
    json,
  },
})
