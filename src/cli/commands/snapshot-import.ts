import { command } from '../command.js'
import { runningOptions } from '../options/running.js'
import { snapshotArgument } from '../options/snapshot.js'

export const snapshotImport = command({
  name: 'snapshot import',
  argument: snapshotArgument,
  describe: 'Replace the state of a running emulator with a snapshot',
  examples: [['snapshot import state.json', 'continue from a saved state']],
  exits: '1 if no emulator answers, or if it refuses the call',
  options: runningOptions,
})
