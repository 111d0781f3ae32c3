import { command } from '../command.js'
import { flag, listArgument } from '../options/declare.js'
import { json } from '../options/output.js'
import { anyText } from '../values.js'

export const coverage = command({
  name: 'coverage',
  argument: listArgument('files', anyText('one or more files or folders'), {
    describe: 'The reports, or folders of SVTRAIN_COVERAGE',
  }),
  describe: 'Add up reports of coverage, and print which behaviors were met',
  examples: [
    ['coverage shard-1.json shard-2.json', 'add up the reports of two machines'],
    ['coverage coverage.json --gaps', 'print each gap, and what closes it'],
  ],
  exits: '2 if a file is not a report, or if there is none',
  options: { gaps: flag({ describe: 'Print each gap, and what closes it' }), json },
})
