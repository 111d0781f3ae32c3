import { command } from '../command.js'
import { commaOption, requiredArgument } from '../options/declare.js'
import { json, junit } from '../options/output.js'
import { anyText, fileCheckSetting } from '../values.js'

export const checkData = command({
  name: 'check-data',
  argument: requiredArgument('file', anyText('a file'), {
    describe: 'The training data: JSON Lines with trajectories, groups or SFT rows',
    canBeDash: true,
  }),
  describe: 'Find mistakes in a file of training data',
  examples: [
    ['check-data train.jsonl', 'what would train nothing, or the wrong thing'],
    ['check-data train.jsonl --check all=fail,equalRewards=false', 'fail on all but one check'],
  ],
  exits:
    '1 if the file has no lines, a line cannot be used, or a check that is set to fail finds something; 2 if the file cannot be read; warnings exit with 0',
  options: {
    check: commaOption(fileCheckSetting, {
      describe:
        'Turn a check off, or let it fail: brokenToolCalls=fail, equalRewards=false. all=fail sets all checks. The last one counts',
    }),
    junit,
    json,
  },
})
