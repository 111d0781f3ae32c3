import { command } from '../../command.js'
import { DEFAULT_FOLDER, DEFAULT_TIMEOUT, DRAWN } from './command-defaults.js'
import { commaOption, flag, listOption, option } from '../../options/declare.js'
import { intercepting } from '../../options/intercept.js'
import { junit, pageFile } from '../../options/output.js'
import { serveOptions } from '../../options/serve.js'
import {
  DEFAULT_RUNS,
  DEFAULT_SEED,
  DEFAULT_TIME,
  MOST_RUNS,
} from '../../../tools/explore/limits.js'
import { didYouMean } from '../../../base/text/nearest.js'
import { operationIdIn, operationNames } from '../../../service/contract/operation-names.js'
import { readKill } from '../../../tools/explore/crash/kill.js'
import { receivers, variables } from '../../options/user-command.js'
import { anyText, count, limit, type Value } from '../../values.js'

const kill: Value<string> = {
  takes: 'an operation, a call and before or after, such as createRlTrainingJob:2:before',
  read: (text) => (readKill(text) ? text : undefined),
  hint(text) {
    const name = operationIdIn(text.split(':')[0]!)
    if (operationNames.some((each) => each === name)) return ''
    return ` "${name}" is no operation.${didYouMean(name, operationNames)}`
  },
}

const drawn = Object.entries(DRAWN).map(([name, runs]) => `${name} stands for ${runs}`)

export const explore = command({
  name: 'explore',
  takesRest: true,
  describe: 'Find the failures that a command does not survive',
  examples: [
    ['explore -- node loop.mjs', 'find out what your training loop does not survive'],
    ['explore --runs 200 --junit explore.xml -- pytest -x', 'in CI'],
    ['explore --only chat-hangs,rate-limited -- npm test', 'try only these scenarios'],
    ['explore --intercept -- python train.py', 'a program that calls the real service, unchanged'],
    ['explore --crash --state out -- python train.py', 'kill it, and let it start again'],
  ],
  exits:
    '1 if a run fails; 2 if the command fails without any fault or cannot be started, or makes no call, or neither a job nor a chat; 3 if nothing failed, but no fault or no kill was tried, because there was no room in --time or --runs; 130 after Ctrl-C',
  daily: ['only', 'crash', 'state', 'runs', 'time', 'scenario', 'env', 'intercept', 'to', 'report'],
  // Each run has an emulator with these.
  emulator: {
    seed: {
      ...serveOptions.seed,
      describe: 'Seed of the drawn faults, and of each run',
      defaultDescription: String(DEFAULT_SEED),
    },
    clock: { ...serveOptions.clock, defaultDescription: 'instant; auto with --crash' },
    'serve-any-model': serveOptions['serve-any-model'],
    contract: serveOptions.contract,
    'api-key': serveOptions['api-key'],
    'data-root': serveOptions['data-root'],
    webhook: receivers,
    'webhook-secret': {
      ...serveOptions['webhook-secret'],
      defaultDescription: 'derived from the seed; SVTRAIN_WEBHOOK_SECRET has it',
    },
    sink: serveOptions.sink,
  },
  options: {
    runs: option(count(MOST_RUNS), {
      describe: 'Number of runs; those that shrink a failure come on top',
      isChoice: true,
      defaultDescription: String(DEFAULT_RUNS),
    }),
    time: option(limit, {
      describe: 'Longest time for all runs, for shrinking failures, and for repeating them',
      isChoice: true,
      defaultDescription: DEFAULT_TIME,
    }),
    timeout: option(limit, {
      describe: 'Longest time of one run; a command that takes longer hangs',
      defaultDescription: `${DEFAULT_TIMEOUT}, or three times what the first run took`,
    }),
    parallel: option(count(256), {
      describe: 'Number of runs at the same time',
      isChoice: true,
      defaultDescription: 'the number of processors, at most 8',
    }),
    'as-is': flag({
      describe: 'Run the command with its pauses in full, and start its process in each run',
    }),
    scenario: listOption(anyText('a file'), {
      describe: 'Also try this scenario file; its answers of chats hold in each run',
    }),
    only: commaOption(anyText('names of scenarios'), {
      describe: `Try only these scenarios, separated by commas; ${drawn.join(', ')}`,
      isChoice: true,
    }),
    crash: flag({
      describe:
        'Kill the command at a few calls of each operation, start it again, and compare what it made; the same as --only crashes',
      isChoice: true,
    }),
    'crash-at': listOption(kill, {
      describe: 'With --crash, kill it only here; a failure names the place',
      isChoice: true,
    }),
    state: option(anyText('a folder'), {
      describe: 'Folder that the command stores things in; each run gets a copy',
      defaultDescription: 'it stores nothing on this machine',
    }),
    skip: commaOption(anyText('names of scenarios'), {
      describe: `Leave out these scenarios, separated by commas; ${drawn.join(', ')}`,
      isChoice: true,
    }),
    to: option(anyText('a folder'), {
      describe: 'Folder for the smallest scenarios and for what the command printed',
      isOutput: true,
      defaultDescription: `${DEFAULT_FOLDER}, if something fails`,
    }),
    junit,
    report: option(pageFile, {
      describe: 'Write a report as one HTML page',
      isOutput: true,
    }),
    json: flag({ describe: 'Print the report as JSON, and nothing else', isOutput: true }),
    verbose: flag({ describe: 'List also the runs that passed', isOutput: true }),
    env: variables,
    ...intercepting,
  },
})
