import { counted } from '../../base/text/counted.js'
import { roundDuration } from '../../base/text/duration.js'
import { shortened } from '../../base/text/shortened.js'
import { isOfSdk, jobCreations, jobReads } from '../../service/contract/operation-names.js'
import { builtInScenarioNames } from '../../service/scenario/built-in-names.js'
import { DEFAULT_SCENARIO } from '../../service/scenario/built-in-scenarios.js'
import { soughtMistakes, type CheckName } from '../../service/scenario/check-names.js'
import type { ScenarioInput } from '../../service/scenario/scenario.js'
import type {
  CheckFinding,
  Observation,
  Problem,
  Trial,
  TrialResult,
  Verdict,
} from './exploration.js'
import { plain } from './plain-scenario.js'

/** A mistake of the code under test, as one trial showed it. */
export interface Mistake {
  /** The same for all trials that show the same bug: without digits, ids and paths. */
  readonly signature: string
  readonly verdict: Exclude<Verdict, 'passed'>
  readonly title: string
  readonly reason: string
  /** The call that the code did not survive, if that is the mistake. */
  readonly problem?: Problem | undefined
  /** The client check that found it. */
  readonly check?: CheckName
  /** Whether only a comparison with a run without faults shows it. Default: false. */
  readonly needsBaseline?: boolean | undefined
}

/** The verdict on a trial. */
export interface Judgment {
  readonly verdict: Verdict
  readonly mistakes: readonly Mistake[]
  readonly remark?: string
  /** What the code gave up on before its time was over, if nothing shows that it would not have ended. */
  readonly unfinished?: string
  /** Why nothing of the trial happened, if the code did not survive anything then. */
  readonly unapplied?: string
}

/** What the code did without any fault. */
export type Baseline = Pick<Observation, 'created' | 'succeeded' | 'calls' | 'deliveries'>

/** Decides whether the code under test passed a trial, and what it did wrong. */
export function judge(
  trial: Pick<Trial, 'scenario' | 'expects' | 'compares'>,
  result: TrialResult,
  baseline?: Baseline,
): Judgment {
  const { ended, observed } = result
  const unfinished = ended === 'timeout' ? (observed.gaveUp ?? waiting(observed)) : undefined
  const mistakes = [
    ...(ended === 'timeout' && unfinished === undefined ? [hanging(result)] : []),
    ...brokenChecks(observed),
    ...busyPolls(observed),
  ]
  // A mistake that a check found explains the error.
  const isFailure = ended === 'error' && trial.expects === 'success' && mistakes.length === 0
  if (isFailure) mistakes.push(failing(trial, result))
  if (ended === 'success' && baseline && concernsOnlyWebhooks(trial.scenario)) {
    mistakes.push(...repeatedWork(observed, baseline))
  }
  // A run that is compared with another one has a better reason.
  if (mistakes.length === 0 && baseline && trial.compares !== true)
    mistakes.push(...falseSuccess(trial, result, baseline))
  const [first] = mistakes
  if (first) return { verdict: first.verdict, mistakes }
  if (unfinished !== undefined) return { verdict: 'passed', mistakes, unfinished }
  const unapplied = whyUnapplied(trial, result)
  if (unapplied !== undefined) return { verdict: 'passed', mistakes, unapplied }
  const remark = remarkOn(trial, result)
  return { verdict: 'passed', mistakes, ...(remark !== undefined && { remark }) }
}

/** What keeps code that does nothing wrong: it waits as it was told, or its SDK of runs repeats a call. */
function waiting({ problem, pending }: Observation): string | undefined {
  if (!problem || pending.length > 0) return undefined
  const { operation, outcome, recovered } = problem
  if (outcome === '429' && recovered) return `It waited each time ${operation} was refused with 429`
  return isOfSdk(operation) && !recovered
    ? `The SDK of runs repeated ${operation}, which ${outcomeText(problem)}`
    : undefined
}

/** Says why code did not end. */
export function hanging({ observed, took }: Pick<TrialResult, 'observed' | 'took'>): Mistake {
  const { pending, problem, calls, equalEvents = 0, leftHanging } = observed
  const longer = `It had ${roundDuration(took)}: a timeout of ${roundDuration(2 * took)} shows if it ends`
  const verdict = 'hung'
  const unanswered = pending.find(({ kind }) => kind === 'call')?.text
  if (unanswered !== undefined) {
    const title = `${unanswered}, and the code did not give up`
    return { signature: `hung ${unanswered}`, verdict, title, reason: title, problem }
  }
  if (problem && !problem.recovered && problem.times > 1) {
    const { operation, times } = problem
    const title = `${operation} ${outcomeText(problem)}, and the code did not give up`
    const reason = `${title}: it called ${operation} ${counted(times, 'time')} in vain`
    return { signature: `hung ${signatureOf(problem)}`, verdict, title, reason, problem }
  }
  const polled = pending.find(({ kind }) => kind === 'job')?.text
  if (polled !== undefined) {
    const title = 'the code keeps waiting for a job that does not end'
    const reason = `${title}: ${polled}. ${longer}`
    return { signature: 'hung job', verdict, title, reason }
  }
  if (equalEvents > 0) {
    const title = 'the code waits, after two events whose deliveries have equal bytes'
    const reason = `${title}: did its receiver take them for one event?`
    return { signature: 'hung equal events', verdict, title, reason }
  }
  const [most] = Object.entries(calls).sort(([, one], [, other]) => other - one)
  const title = 'the code did not end'
  const last = most ? `: most of its calls were ${most[0]} (${most[1]})` : ': it made no call'
  const slow = leftHanging
    ? `. It gave up on ${counted(leftHanging, 'call')} that got no answer, and called again. ${longer}`
    : ''
  return { signature: `hung ${most?.[0]}`, verdict, title, reason: title + last + slow }
}

/** Completes the name of an operation. */
function outcomeText({ outcome }: Problem): string {
  return OUTCOMES[outcome] ?? `was refused with ${outcome}`
}

const OUTCOMES: Readonly<Record<string, string>> = {
  hang: 'got no answer',
  disconnect: 'lost its connection',
  unreadable: 'got an answer that is not JSON',
}

/** A client that does not retry one of these statuses does not retry the others either. */
const BUSY = new Set(['408', '500', '502', '503', '504', '524'])

/** The same for calls that fail alike. */
export function signatureOf({
  operation,
  outcome,
}: Pick<Problem, 'operation' | 'outcome'>): string {
  return `${operation} ${BUSY.has(outcome) ? 'busy' : outcome}`
}

/** One mistake for each check that failed. */
function brokenChecks({ findings }: Observation): Mistake[] {
  const checks = [...new Set(findings.map(({ check }) => check))]
  return checks.map((check) => {
    const found = findings.filter((finding) => finding.check === check)
    const more = found.length === 1 ? '' : ` (and ${found.length - 1} more)`
    return {
      signature: `client_check ${check}`,
      check,
      verdict: 'client_check',
      title: `${titleOf(found[0]!)} (${check})`,
      reason: `${found[0]!.text}${more}`,
    }
  })
}

function titleOf({ check, operation = 'the creation of a job' }: CheckFinding): string {
  if (check === 'duplicateJobs') return `${operation} was repeated blindly`
  return CHECKS[check] ?? soughtMistakes[check]
}

/** What the title of a mistake says. For others, that is what the check looks for. */
const CHECKS: Partial<Readonly<Record<CheckName, string>>> = {
  forgottenJobs: 'a job was created although an earlier one may still run',
  backwardCursors: 'listTrainingJobEvents was called with an older cursor',
  skippedEvents: 'listTrainingJobEvents skipped events',
  eventsReadAgain: 'listTrainingJobEvents was called again for the same events',
  pollsPastTheEnd: 'a job was polled after its end',
  earlyRetries: 'a call came back before its Retry-After',
}

function busyPolls({ busyPolls: polls }: Observation): Mistake[] {
  if (polls === undefined) return []
  const title = 'a job was polled again and again without a pause'
  const reason = `${title}: ${polls} times in a row, and nothing was new`
  return [{ signature: 'failed busy polls', verdict: 'failed', title, reason }]
}

function failing({ scenario }: Pick<Trial, 'scenario'>, { error, observed }: TrialResult): Mistake {
  const { problem } = observed
  const verdict = 'failed'
  const reason = error === undefined || error === '' ? 'The code ended with an error' : error
  if (problem && !problem.recovered) {
    const title = `${problem.operation} ${outcomeText(problem)}, and the code gave up`
    return { signature: `failed ${signatureOf(problem)}`, verdict, title, reason, problem }
  }
  const isDelivered = concernsOnlyWebhooks(scenario)
  const after = problem ? ` after ${problem.operation} ${outcomeText(problem)}` : ''
  const isNamed = TELLING_NAMES.some((name) => name === scenario.name)
  const under = isNamed && after === '' ? ` under ${scenario.name}` : after
  const when = isDelivered ? ' although only deliveries differ' : under
  // It got over the problem, so the error alone tells failures apart.
  const short = shortened(reason.split('\n', 1)[0]!, LONGEST_IN_TITLE)
  const title = `the code failed${when}: ${short}`
  const signature = `failed ${normalized(reason)}${isDelivered ? ', deliveries' : ''}`
  return { signature, verdict, title, reason }
}

/** The scenarios whose name says what the service did. */
const TELLING_NAMES = builtInScenarioNames.filter((name) => name !== DEFAULT_SCENARIO)

/** The longest text of an error in a title, in characters. */
const LONGEST_IN_TITLE = 100

const LONGEST_TEXT = 120

/** The beginning of an error text without what differs from run to run. */
export function normalized(text: string): string {
  return withoutChance(text).slice(0, LONGEST_TEXT)
}

/** A text without what differs from run to run: ids, numbers, paths and quoted values. */
export function withoutChance(text: string): string {
  return text
    .replaceAll(/https?:\/\/\S+/g, '<url>')
    .replaceAll(/(["'`])(?:(?!\1).)*\1/g, '<value>')
    .replaceAll(/(?:[A-Za-z]:)?[\\/][\w.~@-]+(?:[\\/][\w.~@-]+)+/g, '<path>')
    .replaceAll(/\b[0-9a-f]{8}(?:-?[0-9a-f]{4}){0,6}\b/gi, '<id>')
    .replaceAll(/\b(?=\w*\d)(?=\w*[a-z])\w{6,}\b/gi, '<id>')
    .replaceAll(/\d+(?:\.\d+)?/g, '<n>')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** The parts of a scenario that change no answer to a call. */
const BESIDE_CALLS: ReadonlySet<string> = new Set([
  'name',
  'seed',
  'clock',
  'checks',
  'secrets',
  'webhooks',
  'automations',
  'automation_limits',
] satisfies (keyof ScenarioInput)[])

/** Whether only deliveries differ from the baseline. */
function concernsOnlyWebhooks(scenario: Trial['scenario']): boolean {
  const { webhooks = [] } = scenario
  if (!webhooks.some(({ adversary = [] }) => adversary.length > 0)) return false
  return Object.keys(plain(scenario)).every((key) => BESIDE_CALLS.has(key))
}

/** The parts of a scenario that can do something to code although none of its faults does. */
const ACTING = ['webhooks', 'timeline', 'rl', 'sft', 'models', 'system_check'] as const

/** Why a scenario did nothing to a run: all that it has are faults, and none changed a call. Undefined if it did. */
function whyUnapplied(
  { scenario }: Pick<Trial, 'scenario'>,
  { observed: { unapplied, created, succeeded } }: TrialResult,
): string | undefined {
  // A job that fails is something that happened.
  if (unapplied === undefined || created.jobs !== succeeded) return undefined
  const parts = plain(scenario)
  const { judge: _judge, rules: _rules, ...chat } = parts.chat ?? {}
  const acts = Object.keys(chat).length > 0 || ACTING.some((key) => parts[key] !== undefined)
  return acts ? undefined : unapplied
}

function repeatedWork({ created }: Observation, baseline: Baseline): Mistake[] {
  for (const what of ['job', 'model'] as const) {
    const [now, before] = [created[`${what}s`], baseline.created[`${what}s`]]
    if (now <= before) continue
    const title = `deliveries that come again start work again (more ${what}s)`
    const reason = `The code created ${counted(now, what)} instead of ${before}, although only deliveries differ`
    const signature = `failed more ${what}s`
    return [{ signature, verdict: 'failed', title, reason, needsBaseline: true }]
  }
  return []
}

/** Finds code that ends as if it had trained, although it could know better. */
function falseSuccess(
  { expects }: Pick<Trial, 'expects'>,
  { ended, observed: { calls, created, succeeded } }: TrialResult,
  baseline: Baseline,
): Mistake[] {
  if (ended !== 'success' || succeeded > 0 || baseline.succeeded === 0) return []
  const hasTried = jobCreations.some((operation) => calls[operation] !== undefined)
  // Where any end is correct, there may be nothing to train.
  if (!hasTried && expects === 'any_end') return []
  // Code that only submits cannot know how its jobs end.
  if (created.jobs > 0 && !asksForJobs(baseline)) return []
  const jobs =
    created.jobs === 0
      ? 'It created no job'
      : `It created ${counted(created.jobs, 'job')}, and none succeeded`
  return [
    {
      signature: 'failed false success',
      verdict: 'failed',
      title: 'the code reports success, although no job succeeded',
      reason: `${jobs}. Without a fault, ${counted(baseline.succeeded, 'job')} succeeded: end with an error, so that the caller knows. Usual cause: an exception of the training is caught, and not raised again. Read more: svtrain-emulator docs explore`,
      needsBaseline: true,
    },
  ]
}

function asksForJobs({ calls, deliveries }: Baseline): boolean {
  return deliveries > 0 || jobReads.some((operation) => calls[operation] !== undefined)
}

function remarkOn(
  { expects }: Pick<Trial, 'expects'>,
  { ended, observed: { created, succeeded } }: TrialResult,
): string | undefined {
  if (expects === 'success' || ended !== 'success') return undefined
  if (created.jobs === 0 || succeeded > 0) return undefined
  return 'It reports success, although no job succeeded.'
}
