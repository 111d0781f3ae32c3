import { command } from '../command.js'
import { option, optionalOption } from '../options/declare.js'
import { intercepting } from '../options/intercept.js'
import { junit, pageFile, withoutContents } from '../options/output.js'
import { serveOptions } from '../options/serve.js'
import { receivers, variables } from '../options/user-command.js'
import { anyText, count, failingChecks, limit } from '../values.js'

export const exec = command({
  name: 'exec',
  takesRest: true,
  describe: 'Run a command with its own emulator',
  examples: [
    ['exec --scenario flaky-gateway -- pytest -x', 'run tests against an emulator'],
    [
      'exec --env OPENAI_BASE_URL={inference} -- npm test',
      'set the variables that your client reads',
    ],
    ['exec --intercept -- python train.py', 'run a program that calls the real service, unchanged'],
    [
      'exec --intercept inference=http://localhost:11434/v1 -- python train.py',
      'answer a program that calls a model server on this machine',
    ],
  ],
  exits:
    'that of the command; 126 or 127 if the command cannot be started; 124 after --timeout; 1 if --checks finds a mistake of severity fail, or --checks=fail any mistake; 123 if it passed, but not within --budget',
  daily: [
    'scenario',
    'clock',
    'seed',
    'env',
    'intercept',
    'checks',
    'timeout',
    'bill',
    'report',
    'junit',
  ],
  emulator: { ...serveOptions, webhook: receivers },
  options: {
    env: variables,
    ...intercepting,
    checks: optionalOption(failingChecks, {
      describe:
        'Exit with 1 if the client checks find a mistake of severity fail; with =fail, also if they only warn. Deliveries are not judged: a command may end before they arrive',
    }),
    timeout: option(limit, {
      describe: 'Longest time that the command may run; then it is stopped',
      defaultDescription: 'none',
    }),
    trace: option(anyText('a file'), {
      describe: 'Write the whole trace to this file, also if the command passes',
      isOutput: true,
      defaultDescription: 'if it fails, its end goes to stderr',
    }),
    bill: optionalOption(anyText('a file with your prices'), {
      describe:
        'Print what the command used of the service; with =prices.yaml, also what that costs',
    }),
    budget: option(anyText('a limit such as 5usd or 2M-tokens'), {
      describe: 'Fail if the bill is above this limit; money needs --bill=prices.yaml',
    }),
    steps: option(count(1_000_000), {
      describe: 'With the bill, estimate a run of this number of training jobs',
    }),
    report: option(pageFile, {
      describe: 'Write what happened to this file as an HTML page, also if the command passes',
      isOutput: true,
    }),
    har: option(anyText('a file'), {
      describe: 'Write the requests to this file as HAR, also if the command passes',
      isOutput: true,
    }),
    'without-contents': withoutContents,
    junit,
  },
})
