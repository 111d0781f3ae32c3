import { boolean, number, string } from '../../service/contract/pydantic/scalars.js'
import { dictionary, list, nullable } from '../../service/contract/pydantic/containers.js'
import { optional, required } from '../../service/contract/pydantic/fields.js'
import { boundedInteger, integer } from '../../service/contract/pydantic/integer.js'
import { literal } from '../../service/contract/pydantic/literal.js'
import { model } from '../../service/contract/pydantic/model.js'
import type { Infer } from '../../service/contract/pydantic/schema.js'
import { union } from '../../service/contract/pydantic/union.js'
import { controlBody, objectOf } from '../../emulator/control/schemas/body-and-query.js'
import { aSeed } from '../../emulator/control/schemas/scenario.js'
import type { ScenarioInput } from '../../service/scenario/scenario.js'
import { DEFAULT_RUNS, DEFAULT_SEED, DEFAULT_TIME, MOST_RUNS } from './limits.js'
import {
  EXPECTATIONS,
  EXPLORATION_ENDS,
  FAILED_VERDICTS,
  TRIAL_ENDS,
  TRIAL_KINDS,
} from './exploration.js'

/** The schemas of explorations over the control API. */

export const exploreRequest = controlBody('ExploreRequest', {
  runs: optional(boundedInteger({ ge: 1, le: MOST_RUNS }), {
    description: `How many runs, without those that shrink failures. Default: ${DEFAULT_RUNS}.`,
  }),
  time: optional(union([number, string]), {
    description: `How long it may take, in real time: 10m, or milliseconds. Default: ${DEFAULT_TIME}.`,
  }),
  seed: optional(aSeed, {
    description: `The seed of drawn faults and of each run. Default: ${DEFAULT_SEED}.`,
  }),
  crash: optional(union([boolean, list(string)]), {
    description:
      'Tries only kills of your code: true, or a list such as ["createRlTrainingJob:2:before"]. Default: false.',
  }),
  checks: optional(dictionary(boolean), {
    description: 'Turns client checks off, such as {"duplicate_jobs": false}.',
  }),
})

export const trialEndRequest = controlBody('TrialEndRequest', {
  ended: required(literal(...TRIAL_ENDS), {
    description: 'error: your code failed. timeout: you stopped it, because it did not end.',
  }),
  error: optional(string, { description: 'The message of the error.' }),
})

/** An interface has a name in declaration files. A type would be written out at each place. */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface ExploredScenario extends ScenarioInput {}

const exploreTrial = model('ExploreTrial', {
  number: required(integer, { description: 'From 1, with the runs that shrink failures.' }),
  name: required(string, { description: 'A built-in scenario, or a text such as faults 17.' }),
  kind: required(literal(...TRIAL_KINDS), {
    description:
      'A whole scenario, changed fields of answers, drawn faults, a kill, or another run of a failure.',
  }),
  kill: required(nullable(string), {
    description: 'When your code is killed: then all of its calls lose their connection.',
  }),
  start: required(integer, {
    description: '2 after a kill: run your code again, with what it stored, in the same world.',
  }),
  time_left: required(integer, {
    description: 'Milliseconds of real time until the exploration ends: stop your code then.',
  }),
  seed: required(integer, { description: 'The seed of the run.' }),
  expects: required(literal(...EXPECTATIONS), {
    description: 'any_end: the service refuses for good, so an error is a correct end.',
  }),
  scenario: required(objectOf<ExploredScenario>(), { description: 'What happens in this run.' }),
})

const exploreReport = model('ExploreReport', {
  seed: required(integer, { description: 'The seed of the exploration.' }),
  runs: list(
    model('ExploredRun', {
      number: required(integer, { description: 'From 1, in the order in which runs started.' }),
      name: required(string, { description: 'What was tried.' }),
      seed: required(integer, { description: 'The seed of the run.' }),
      verdict: literal('passed', ...FAILED_VERDICTS),
      reason: required(nullable(string), { description: 'Why it did not pass.' }),
      failure: required(nullable(integer), { description: 'The failure that it belongs to.' }),
      remark: required(nullable(string), { description: 'Worth a look, although it passed.' }),
      took: required(integer, { description: 'Milliseconds of real time.' }),
    }),
  ),
  failures: list(
    model('ExploreFailure', {
      number: required(integer, { description: 'From 1.' }),
      verdict: literal(...FAILED_VERDICTS),
      title: required(string, { description: 'What your code does, in one line.' }),
      reason: required(string, { description: 'What it did in one of the runs.' }),
      runs: required(list(integer), { description: 'The numbers of the runs.' }),
      seed: required(integer, { description: 'The seed that repeats it.' }),
      scenario: required(objectOf<ExploredScenario>(), {
        description: 'The smallest scenario in which it still fails.',
      }),
      yaml: required(string, { description: 'The same scenario as YAML.' }),
      kill: required(nullable(string), {
        description: 'When your code was killed, if that shows the failure.',
      }),
      flaky: required(boolean, { description: 'Whether it did not fail again.' }),
      trials: required(integer, { description: 'How often it ran to shrink this failure.' }),
      finished: required(boolean, { description: 'Whether the scenario cannot be smaller.' }),
    }),
  ),
  skipped: list(
    model('SkippedScenario', {
      name: required(string, { description: 'The name of the scenario.' }),
      reason: required(string, { description: 'Why it was not tried.' }),
    }),
  ),
  untried: required(
    nullable(
      model('UntriedExploration', {
        reason: required(string, { description: 'Why neither a fault nor a kill was tried.' }),
        time: required(nullable(string), { description: 'A time that has room for one: 3m.' }),
      }),
    ),
    {
      description: 'Why the runs show nothing, although none failed. Null if they show something.',
    },
  ),
  ended: required(literal(...EXPLORATION_ENDS), {
    description:
      'Why it stopped. all_runs: all runs were done, even if the time was too short to shrink each failure. baseline: your code fails without any fault.',
  }),
  took: required(integer, { description: 'Milliseconds of real time.' }),
  text: required(string, { description: 'The report for people.' }),
})

export const exploreStep = model('ExploreStep', {
  trial: required(nullable(exploreTrial), {
    description: 'What to try now: the world is ready for it. Null at the end.',
  }),
  report: required(nullable(exploreReport), { description: 'Null until the end.' }),
})

/** A trial of an exploration, or the report at its end. */
export type ExploreStep = Infer<typeof exploreStep>
