import { command } from '../command.js'
import { json } from '../options/output.js'
import { snapshotArgument } from '../options/snapshot.js'

export const snapshotShow = command({
  name: 'snapshot show',
  argument: snapshotArgument,
  describe: 'Print what a snapshot contains',
  examples: [['snapshot show state.json', 'models, jobs and the time']],
  options: { json },
})
