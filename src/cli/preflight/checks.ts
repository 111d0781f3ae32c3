import { counted } from '../../base/text/counted.js'
import type { CheckName } from '../../service/scenario/check-names.js'
import { checks as clientChecks } from '../../emulator/testing/checks/index.js'
import { findingText, type Finding } from '../../emulator/testing/client-checks.js'
import type { Bill } from '../../tools/bill/bill-types.js'
import { amountText, tokensText } from '../../tools/bill/format.js'
import { killText } from '../../tools/explore/crash/kill.js'
import type { TrialResult } from '../../tools/explore/exploration.js'
import { hanging } from '../../tools/explore/judge.js'
import type { CalledHost } from '../../tools/intercept/called-hosts.js'
import { formatDuration } from '../report/format.js'
import type { Check } from './report.js'
import type { KillOutcome } from './rehearse.js'

/** What the run without a kill showed. */
export interface FirstRun {
  readonly result: TrialResult
  /** The exit code. */
  readonly code: number
  readonly findings: readonly Finding[]
  readonly bill: Bill
}

/** The words of the commands that show more. */
export interface MoreCommands {
  readonly run: readonly string[]
  readonly checks: readonly string[]
  readonly bill: readonly string[]
  readonly kill: readonly string[]
}

/**
 * Says how the command ended without a fault.
 *
 * @param advice What to do about a command that waits for a job.
 */
export function programCheck(
  { result, code, bill }: FirstRun,
  more: MoreCommands,
  advice?: string,
): Check {
  const { ended, took, error = '', observed } = result
  const after = `after ${formatDuration(took)}`
  const name = 'program'
  if (ended === 'success') {
    const calls = Object.values(observed.calls).reduce((sum, each) => sum + each, 0)
    const { chats, jobs } = bill.totals
    const text = `It ended ${after}, with ${counted(jobs, 'training job')}, ${counted(chats, 'chat')} and ${counted(calls, 'call')}.`
    return { name, state: 'go', text }
  }
  if (ended === 'error') {
    const text = `It ended with exit code ${code} ${after}: ${error}`
    return { name, state: 'no-go', text, more: more.run }
  }
  const isWaiting = observed.created.jobs > observed.succeeded
  const why = `It did not end, and was stopped ${after}: ${hanging(observed).reason}.`
  const text = isWaiting && advice !== undefined ? `${why} ${advice}` : why
  return { name, state: 'no-go', text, more: more.run }
}

/** Names hosts that the command could not call. Undefined if there are none. */
export function hostsCheck(called: readonly CalledHost[]): Check | undefined {
  const refused = called.filter((host) => host.refused > 0).map(({ host }) => host)
  if (refused.length === 0) return undefined
  const allowed = refused.map((host) => `--allow-host-out ${host}`).join(' ')
  const text = `Calls to ${refused.join(', ')} were refused. To allow them: ${allowed}`
  return { name: 'hosts', state: 'not checked', text, isOptional: true }
}

/** Says whether the calls of the command are those of a careful client. */
export function callsCheck({ findings }: FirstRun, more: MoreCommands): Check {
  const name = 'calls'
  const found = findings.filter(({ check }) => !isAboutData(check))
  if (found.length > 0) {
    return { name, state: 'no-go', text: findingsText(found), more: more.checks }
  }
  // The check of deliveries is off.
  const count = names.length - names.filter(isAboutData).length - 1
  return { name, state: 'go', text: `${count} checks found nothing.` }
}

/** Says whether what it trains on can be learned from. */
export function dataChecks({ result, findings }: FirstRun, more: MoreCommands): Check[] {
  const { jobs } = result.observed.created
  if (jobs === 0) {
    return [{ name: 'data', state: 'not checked', text: 'It submitted no training job.' }]
  }
  const all = findings.filter(({ check }) => isAboutData(check))
  const byAnswers = all.filter(({ check, severity }) => {
    return severity === 'warn' && BY_ANSWERS.has(check)
  })
  const found = all.filter((finding) => !byAnswers.includes(finding))
  const count = names.filter(isAboutData).length
  const nothing = `${count} checks of ${counted(jobs, 'training job')} found nothing.`
  const data: Check =
    found.length > 0
      ? { name: 'data', state: 'no-go', text: findingsText(found), more: more.checks }
      : { name: 'data', state: 'go', text: byAnswers.length > 0 ? OTHERS : nothing }
  if (byAnswers.length === 0) return [data]
  const text = `${MADE_UP} ${byAnswers.map((each) => factOf(each)).join('; ')}.`
  return [data, { name: 'rewards', state: 'not checked', text, isOptional: true }]
}

/** What these find depends on the answers, which the emulator makes up unless a scenario says what they are. */
const BY_ANSWERS: ReadonlySet<CheckName> = new Set(['equalRewards', 'cutOffAnswers'])

const OTHERS = 'The other checks found nothing.'
const MADE_UP = 'The emulator makes answers up, so look yourself:'

const names = Object.keys(clientChecks) as CheckName[]

function isAboutData(name: CheckName): boolean {
  return Object.hasOwn(clientChecks[name], 'training') || name === 'bestCheckpointDeleted'
}

/** The first finding, and how many others there are. */
function findingsText(found: readonly Finding[]): string {
  const [first] = found as readonly [Finding, ...Finding[]]
  const rest = found.length - 1
  const others = rest === 0 ? '' : ` And ${counted(rest, 'other')}.`
  return `${findingText(first)}.${others}`
}

/** What was found, without the place and the advice. */
function factOf({ text }: Finding): string {
  return text.split(/[:;]/)[0]!
}

/** Says whether the command survived a kill. Without an outcome, it was not killed. */
export function killCheck(
  outcome: KillOutcome | undefined,
  { result }: FirstRun,
  { more, assumption }: { more: MoreCommands; assumption: string | undefined },
): Check {
  const name = 'kill'
  if (!outcome) {
    const text = result.ended === 'success' ? NO_CALL : WITHOUT_KILL
    return { name, state: 'not checked', text }
  }
  const { kill, verdict, text } = outcome
  if (verdict === 'failed') return { name, state: 'no-go', text: text!, more: more.kill }
  if (verdict === 'unknown') {
    return { name, state: 'not checked', text: text ?? NO_CALL, more: more.kill }
  }
  const survived = `Killed ${killText(kill)}, it went on, and made the same.`
  return { name, state: 'go', text: [survived, text, assumption].filter(Boolean).join(' ') }
}

const NO_CALL = 'It makes no call at which it could be killed.'
const WITHOUT_KILL = 'It fails without a kill.'

/** Says what the run used, and whether that is within the budget. */
export function billCheck({ result, bill }: FirstRun, more: MoreCommands): Check {
  const name = 'bill'
  const { budget, notes } = bill
  const figures = figuresText(bill)
  if (result.ended !== 'success') {
    const text = `It did not reach its end. ${figures}`
    return { name, state: 'not checked', text, ...(!budget && { isOptional: true }) }
  }
  if (!budget) {
    const text = [figures, ...notes, 'There is no --budget.'].join(' ')
    return { name, state: 'not checked', text, isOptional: true }
  }
  const text = `${budget.text} ${figures}`
  if (budget.passed) return { name, state: 'go', text }
  const state = budget.amount === null ? 'not checked' : 'no-go'
  return { name, state, text, more: more.bill }
}

function figuresText({ totals, money, estimate }: Bill): string {
  const tokens = totals.prompt + totals.completion + totals.trained
  const cost = money ? ` and ${amountText(money.total, money.currency)}` : ''
  const used = `This run: ${tokensText(tokens)} tokens${cost}.`
  const missing = money?.unpriced.length ? [`No price for ${money.unpriced.join(', ')}.`] : []
  if (!estimate) return [used, ...missing].join(' ')
  const range = `${tokensText(estimate.tokens.low)} - ${tokensText(estimate.tokens.high)} tokens`
  const paid =
    estimate.money && money
      ? ` and ${amountText(estimate.money.low)} - ${amountText(estimate.money.high, money.currency)}`
      : ''
  return [used, `${estimate.to} steps: ${range}${paid}.`, ...missing].join(' ')
}
