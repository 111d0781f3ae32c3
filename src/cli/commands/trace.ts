import { command } from '../command.js'
import { flag, option } from '../options/declare.js'
import { json } from '../options/output.js'
import { runningOptions } from '../options/running.js'
import { anyText } from '../values.js'

export const trace = command({
  name: 'trace',
  describe: 'Print what happened in a running emulator',
  examples: [
    ['trace', 'requests, and what each of them caused'],
    ['trace --json', 'the same for programs, with the ids of causes'],
    ['trace --lineage', 'which checkpoint each job trained on'],
  ],
  exits: '1 if no emulator answers, or if it refuses the call',
  options: {
    ...runningOptions,
    job: option(anyText('the id of a job'), {
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
    json,
  },
})
