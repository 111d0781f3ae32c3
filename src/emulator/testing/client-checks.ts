import { EmulatorError } from '../../base/text/emulator-error.js'
import {
  aFlag,
  isObject,
  valueKind,
  nonEmptyText,
  Options,
  parts,
  wholeNumber,
  type Kind,
  type Table,
} from '../../base/text/options.js'
import {
  checkKey,
  eachCheck,
  errorChecks,
  type CheckName,
} from '../../service/scenario/check-names.js'
import type { Scenario } from '../../service/scenario/scenario.js'
import type { CheckDefinition, FoundMistake } from './check-definition.js'
import type { BestCheckpointOptions } from './checks/best-checkpoint-deleted.js'
import { checks } from './checks/index.js'
import type { StaleAnswersOptions } from './checks/training.js'
import { groupedFindings } from './grouped-findings.js'
import type { Reach } from './reach.js'
import { linesOfWorld, traceText } from './trace.js'
import { Tally } from './tally.js'
import { isTrainingCheck } from './training-check.js'
import type { TestedWorld } from './world.js'

/**
 * How a check runs: `false` turns it off, and `'fail'` makes it an error. `true` leaves it as it is: a
 * warning, or an error. `docs/how-to/testing.md` says which.
 */
export type CheckSetting = boolean | 'fail'

/** The mistakes of clients to look for. Each check is on unless it is `false`. */
export interface ClientChecks {
  /** A second job of the same batch, after an answer that was lost or an error, or before the client saw the first one end. */
  duplicateJobs?: CheckSetting
  /** A new job after the client polled an earlier one in vain, or lost its answer. */
  forgottenJobs?: CheckSetting
  /** A cursor of events before one that the client already used. */
  backwardCursors?: CheckSetting
  /** A cursor of events after some that the client never received. */
  skippedEvents?: CheckSetting
  /** Events of an unfinished job that were read again three times, because the cursor was wrong or never sent. */
  eventsReadAgain?: CheckSetting
  /** A poll for a job after the client was shown that it ended. */
  pollsPastTheEnd?: CheckSetting
  /**
   * A call that came back before the time of its Retry-After. A chat counts if its library says that it is a retry, or
   * if several came early and none was answered twice.
   */
  earlyRetries?: CheckSetting
  /** Deliveries that the receiver never acknowledged. `exec --checks` counts them, and does not judge them. */
  deliveries?: CheckSetting
  /** Training on answers of the base model, although the model had a checkpoint from training. */
  baseModelAnswers?: CheckSetting
  /** Training on answers that are more than one step behind the newest checkpoint. */
  staleAnswers?: CheckSetting | StaleAnswersOptions
  /** A trajectory with answers of several checkpoints. */
  mixedCheckpoints?: CheckSetting
  /** A group whose trajectories begin with different prompts. */
  mixedPrompts?: CheckSetting
  /** Training on answers whose text, tokens or prompt are not those that were sampled. */
  changedAnswers?: CheckSetting
  /** Training on answers that no chat gave, after the model has answered chats. */
  unknownAnswers?: CheckSetting
  /** Training on answers, when at least half of eight, or all of three, were cut off by the token limit. */
  cutOffAnswers?: CheckSetting
  /** A reward for a trajectory whose chat, or whose call of a judge, failed for good, or got an answer without a score. */
  failedCallsScored?: CheckSetting
  /** Rewards that are NaN or infinite, so that no advantage of their group is a number. */
  nonFiniteRewards?: CheckSetting
  /** Training on groups with equal rewards, from which nothing is learned: at least half of eight, or all of a job. */
  equalRewards?: CheckSetting
  /** Answers without log probabilities, if the job skips those, or if they were sampled with them, or if others have them. */
  missingLogprobs?: CheckSetting
  /** A trajectory that is twice in a batch, or in two jobs, also with another reward. */
  duplicateTrajectories?: CheckSetting
  /** Training on trajectories that were logged to the service with another split, such as val. */
  trainedValidation?: CheckSetting
  /** Tool calls without results, results without calls, or arguments that are not JSON. */
  brokenToolCalls?: CheckSetting
  /** The deletion of the checkpoint with the highest reward, or of one that a chat uses later. */
  bestCheckpointDeleted?: CheckSetting | BestCheckpointOptions
  /** Metrics of a step below one that the run had logged before, or of training with such a training_step. */
  unorderedMetrics?: CheckSetting
  /** A run that was opened, and neither finished nor failed. */
  unfinishedRuns?: CheckSetting
  /** An artifact that was created, and never committed: nobody can use it. */
  uncommittedArtifacts?: CheckSetting
}

const setting = valueKind("true, false or 'fail'", (value) => {
  return typeof value === 'boolean' || value === 'fail'
})

/** A setting, or options of the check. */
function settingOr<T extends object>(name: CheckName, table: Table<T>): Kind {
  const options = parts(new Options<T>(name, table))
  return {
    check(value, place) {
      const kind = isObject(value) ? options : setting
      kind.check(value, place)
    },
  }
}

export const clientChecks = new Options<ClientChecks>('assertClientChecks', {
  ...eachCheck(() => setting),
  staleAnswers: settingOr<StaleAnswersOptions>('staleAnswers', {
    mostSteps: wholeNumber(),
    fail: aFlag,
  }),
  bestCheckpointDeleted: settingOr<BestCheckpointOptions>('bestCheckpointDeleted', {
    metric: nonEmptyText,
    fail: aFlag,
  }),
})

/** Thrown when a client check fails, with everything that was found. Code `SVTRAIN_CONDUCT`. */
export class ClientCheckError extends EmulatorError {
  override readonly name = 'ClientCheckError'
  readonly code = 'SVTRAIN_CONDUCT'
  /** One sentence for each mistake. */
  readonly findings: readonly string[]

  /** @internal */
  constructor(found: readonly Finding[], world: TestedWorld) {
    const findings = found.map(findingText)
    const lines = groupedFindings(found).map((finding) => `  ${findingText(finding)}`)
    const allowed = [...new Set(found.map(({ check }) => `${check}: false`))].join(', ')
    const how = `To allow that: assertClientChecks({ ${allowed} }), or with the fixture test.override({ checks: { ${allowed} } }).`
    const trace = traceText(linesOfWorld(world))
    super(['The client checks failed:', ...lines, how, '', trace].join('\n'))
    this.findings = findings
  }
}

/** A mistake of a client. */
export interface Finding extends FoundMistake {
  readonly check: CheckName
  /** Whether the check fails a test, or only warns. */
  readonly severity: 'fail' | 'warn'
}

/**
 * Returns each mistake of a client that fails a test.
 *
 * @throws {OptionsError} When there is no such check.
 */
export function failedClientChecks(...parameters: Parameters<typeof findingsIn>): Finding[] {
  return findingsIn(...parameters).filter(({ severity }) => severity === 'fail')
}

/** Returns a sentence for each kind of mistake of a client that is only a warning. */
export function warningsIn(...parameters: Parameters<typeof findingsIn>): string[] {
  const found = findingsIn(...parameters).filter(({ severity }) => severity === 'warn')
  return groupedFindings(found).map((finding) => `Warning: ${findingText(finding)}`)
}

/** Says what was found, and how to allow it. */
export function findingText({ check, text }: Pick<Finding, 'check' | 'text'>): string {
  return `${text} (${check}: false allows it)`
}

/**
 * Returns each mistake of a client.
 *
 * @throws {OptionsError} When there is no such check.
 */
export function findingsIn(
  world: TestedWorld,
  chosen: ChosenChecks = {},
  all: CheckTable = checks,
): Finding[] {
  clientChecks.check(chosen)
  const requests = world.journal.entries.filter((entry) => entry.kind === 'request')
  return runningChecks(world, chosen, all).flatMap(({ check, definition, severity, options }) => {
    const found = definition.find(world, requests, options)
    return found.map((mistake) => ({ check, severity, ...mistake }))
  })
}

/** Returns how much of the training data of a world each check judged. Empty if no job has any. */
export function judgedIn(world: TestedWorld, chosen: ChosenChecks = {}): Reach[] {
  const jobs = world.engine.lineage.newJobs
  if (jobs.length === 0) return []
  return runningChecks(world, chosen).flatMap(({ check, definition, options }) => {
    if (!isTrainingCheck(definition)) return []
    const reach = new Tally(definition.training, options).addAll(jobs).reachOf(check)
    const why = definition.training.blindIn?.(world.engine)
    return why === undefined ? reach : { ...reach, judged: 0, not: [{ count: reach.of, why }] }
  })
}

/** What a test chose. Undefined leaves it to the scenario. */
type ChosenChecks = { readonly [Name in CheckName]?: ClientChecks[Name] | undefined }

/**
 * How checks run on a whole program. It makes its pauses in full, so a call that comes back early is an error, unless
 * the scenario says otherwise. The check of deliveries is off: a program may end before the last ones arrive.
 */
export function checksOfPrograms({ engine }: Pick<TestedWorld, 'engine'>): ClientChecks {
  const isChosen = settingOf(engine.scenario, 'earlyRetries') !== undefined
  return { deliveries: false, ...(!isChosen && { earlyRetries: 'fail' }) }
}

type CheckTable = Readonly<Partial<Record<CheckName, CheckDefinition>>>

/** A check that is on, with its options. */
export interface RunningCheck {
  readonly check: CheckName
  readonly definition: CheckDefinition
  readonly severity: Finding['severity']
  readonly options: object | undefined
}

/** Returns the checks that are on, by what a test chose, then by the scenario of the world. */
export function runningChecks(
  { engine }: Pick<TestedWorld, 'engine'>,
  chosen: ChosenChecks = {},
  all: CheckTable = checks,
): RunningCheck[] {
  const definitions = Object.entries(all) as [CheckName, CheckDefinition][]
  return definitions.flatMap(([check, definition]) => {
    const value = chosen[check] ?? settingOf(engine.scenario, check) ?? true
    if (value === false) return []
    const options = typeof value === 'object' ? value : undefined
    const fails = value === 'fail' || options?.fail === true || errorChecks.includes(check)
    return [{ check, definition, severity: fails ? 'fail' : 'warn', options }]
  })
}

/** The setting of a check in a scenario. Its options have names as in scenarios: `most_steps`. */
function settingOf(
  { checks: chosen }: Scenario,
  check: CheckName,
): ClientChecks[CheckName] | undefined {
  const value = chosen[checkKey(check)]
  if (typeof value !== 'object' || !('most_steps' in value)) return value
  const { most_steps: mostSteps, ...rest } = value
  return { ...rest, mostSteps }
}
