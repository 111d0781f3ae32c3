import { CONTROL_ROOT } from '../../emulator/control/control-path.js'
import { command } from '../command.js'
import { flag, option } from '../options/declare.js'
import { json } from '../options/output.js'
import { runningOptions } from '../options/running.js'
import { DEFAULT_URL } from '../options/serve.js'
import { anyText, jobId } from '../values.js'

export const trace = command({
  name: 'trace',
  describe: 'Print what happened in a running emulator',
  examples: [
    ['trace', 'requests, and what each of them caused'],
    ['trace --json', 'the same for programs, with the ids of causes'],
    ['trace --lineage', 'which checkpoint each job trained on'],
    ['trace --lineage --checkpoint poet:step2', 'which job made a checkpoint'],
  ],
  exits: `1 if no emulator answers, or if it refuses the call. One request in full: curl ${DEFAULT_URL}${CONTROL_ROOT}/requests/20`,
  options: {
    ...runningOptions,
    job: option(jobId, {
      describe: 'Print only what is about this job, and what that caused',
    }),
    all: flag({ describe: 'Print all lines. By default, the latest 30 of each world' }),
    checks: {
      ...flag({ describe: 'Print what the client checks find instead: mistakes that cost money' }),
      conflicts: ['job', 'all', 'lineage'],
    },
    lineage: flag({
      describe: 'Print instead which checkpoint gave the answers that each job trained on',
    }),
    checkpoint: {
      ...option(anyText('the name or the id of a checkpoint'), {
        describe: 'Print the lineage of this checkpoint, such as poet:step2: which job made it',
      }),
      conflicts: ['job', 'checks'],
    },
    json,
  },
})
