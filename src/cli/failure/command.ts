import { constants } from 'node:os'
import { RUN_AGAIN } from '../../base/text/evidence.js'
import { counted } from '../../base/text/counted.js'
import { WITHOUT_CHAT_KEY } from '../../base/text/vendor/sdk-variables.js'
import { isDocumented } from '../../emulator/adapters/routes.js'
import type { Emulator } from '../../emulator/emulator.js'
import type { CalledHost } from '../../emulator/intercept/called-hosts.js'
import { groupedFindings } from '../../emulator/testing/grouped-findings.js'
import { problemsIn, type CountedProblem } from '../../emulator/testing/problems.js'
import { latestWorlds, usedWorlds } from '../../emulator/testing/used-worlds.js'
import { effectsText, inventedText, scoredText } from '../../emulator/testing/unnoticed.js'
import type { JournalEntry } from '../../service/engine/journal.js'
import { formatDuration } from '../report/format.js'
import { shortIds } from '../report/trace-lines.js'
import { shownKey } from '../shown-key.js'
import type { Failure, FailurePart, FailureRow, PendingRow } from './failure.js'
import { pendingNow, pendingPart } from './pending.js'

/** A command that ran beside an emulator. */
export interface CommandRun {
  command: readonly string[]
  code: number
  /** Milliseconds of real time. */
  took: number
  /** The words of the command that runs the same again. */
  again: readonly string[]
  /** The mistakes that the client checks found, if they were asked for. */
  mistakes?: readonly Mistake[]
  /** What was pending when the command was stopped because it ran too long. */
  late?: readonly PendingRow[] | undefined
  /** Whether it has no key for chats. */
  lacksChatKey?: boolean | undefined
  /** The hosts that it called, if a proxy led it to the emulator. */
  called?: readonly CalledHost[] | undefined
}

interface Mistake {
  readonly check: string
  readonly text: string
}

/** How many mistakes, worlds with their keys, and different problems are shown. */
const MOST = 8
/** How many rows there are with failed jobs that came before them. */
const MOST_ROWS = 16
const FAILED_HERE = 'What failed in the emulator'

/** A command that failed: what happened in the emulator, how to reproduce it, and what is still pending. */
export function commandFailure(emulator: Emulator, run: CommandRun): Failure {
  const { command, code, took, again, mistakes = [], late } = run
  const time = formatDuration(took)
  const [title, kind] = late
    ? [`did not end in ${time} and was stopped`, 'timeout']
    : [`exited with code ${code}`, 'exit_code']
  const headline = { subject: command.join(' '), text: endOf(run), facts: `It ran for ${time}.` }
  const wrong = groupedFindings(mistakes).map(({ check, text }) => ({
    label: check,
    text: shortIds(text),
  }))
  const problems = problemsOfRun(emulator, run)
  const parts: FailurePart[] = [
    ...worldsPart(emulator),
    ...firstRows('Client checks', 'names', wrong),
    problemsPart(emulator, run, problems),
    { heading: RUN_AGAIN, form: 'command', words: again },
    late ? pendingPart(late, 'when it was stopped') : pendingPart(pendingNow(emulator)),
  ]
  return { title, kind, headline, cause: causeOf(emulator, run, problems), parts }
}

function endOf({ code, late, mistakes = [] }: CommandRun): string {
  if (late) return 'did not end in time and was stopped.'
  if (code !== 0 || mistakes.length === 0) return `exited with code ${code}${signalText(code)}.`
  return `exited with code 0, but the client checks found ${counted(mistakes.length, 'mistake')}.`
}

/** A shell adds 128 to the number of the signal that ended a program. */
function signalText(code: number | undefined): string {
  const names = Object.entries(constants.signals)
  const [name] = names.find(([, number]) => code === 128 + number) ?? []
  return name === undefined ? '' : `, as after ${name}`
}

/** With `--isolate`, which world belongs to which key. */
function worldsPart(emulator: Emulator): FailurePart[] {
  const worlds = [...emulator.worlds]
  if (worlds.length === 0) return []
  const shown = latestWorlds(worlds, MOST).map((world) => {
    return `${world.worldName} (key ${shownKey(world)})`
  })
  const left = worlds.length - shown.length
  const more = left > 0 ? `${counted(left, 'world')} before, ` : ''
  return [{ heading: 'Worlds', form: 'sentence', text: more + shown.join(', ') }]
}

/** A part with the first of these rows. Empty if there are none. */
function firstRows(
  heading: string,
  form: 'names' | 'marks',
  rows: readonly FailureRow[],
): FailurePart[] {
  if (rows.length === 0) return []
  const left = rows.length - MOST
  const below = left > 0 ? `… ${left} more` : undefined
  return [{ heading, form, rows: rows.slice(0, MOST), below }]
}

/** The latest of the problems of a command. */
export function problemsPart(
  emulator: Emulator,
  run: CommandRun,
  problems: readonly CountedProblem[],
): FailurePart {
  const latest = problems.length - MOST
  // A job that failed is not lost among refusals.
  const shown = problems.filter(({ kind }, at) => at >= latest || kind === 'job').slice(-MOST_ROWS)
  const rows = shown.map(problemRow)
  const left = problems.length - rows.length
  return {
    heading: FAILED_HERE,
    form: 'marks',
    rows,
    above: left > 0 ? `… ${left} earlier` : undefined,
    below: problems.length > 0 ? inventedText(usedWorlds(emulator)) : nothingFailed(emulator, run),
  }
}

/** What failed in all worlds, and the hosts of the service that were refused. */
export function problemsOfRun(emulator: Emulator, { called = [] }: CommandRun): CountedProblem[] {
  const refused = called.filter((each) => each.refused > 0 && isDocumented(each.host))
  // Last, as the most probable cause: a program hardly goes on without a host of the service.
  return [
    ...problemsIn(emulator),
    ...refused.map(({ host, refused: count, failures }): CountedProblem => {
      const text = `${host} was refused: ${failures.join('; ')}`
      return { kind: 'host', mark: '403', text, entry: 0, count }
    }),
  ]
}

/**
 * Failed jobs and deliveries that no receiver took, a line for each: a command that passes may have swallowed them.
 * Empty if there are none.
 */
export function lossesPart(emulator: Emulator): FailurePart[] {
  const losses = problemsIn(emulator).filter(isLoss)
  return firstRows(FAILED_HERE, 'marks', losses.map(problemRow))
}

/** Whether nothing undoes it. A refusal may be the start of a retry. */
function isLoss({ kind }: CountedProblem): boolean {
  return kind === 'job' || kind === 'delivery'
}

function problemRow({ mark, text, count }: CountedProblem): FailureRow {
  const times = count === 1 ? '' : ` (${count} times)`
  return { label: mark, text: shortIds(text) + times }
}

/** Says why a command may have failed although nothing failed here. */
function nothingFailed(emulator: Emulator, run: CommandRun): string {
  const { code, called, late, lacksChatKey } = run
  if (code === 0) return 'Nothing: only the client checks did.'
  const worlds = usedWorlds(emulator)
  const effects = effectsText(worlds)
  if (effects !== undefined) return `Nothing, but this came from the scenario: ${effects}.`
  if (late || signalText(code) !== '')
    return 'Nothing: the command was stopped. Below is what was pending then, and what happened.'
  const reason = waitText(emulator) ?? scoredText(worlds) ?? inventedText(worlds)
  if (reason !== undefined) return `Nothing, but ${reason}`
  const refused = called?.filter((each) => each.refused > 0).map(({ host }) => host) ?? []
  // It may be a judge that the program cannot do without, or telemetry.
  if (refused.length > 0)
    return `Nothing, but calls to ${refused.join(', ')} were refused. The list of hosts says what to do.`
  const isCalled = hasEntry(worlds, 'request')
  return isCalled || called
    ? `Nothing: the output of the command says more.${isCalled && lacksChatKey ? ` ${WITHOUT_CHAT_KEY}` : ''}`
    : `Nothing: no call ${UNCALLED}`
}

const UNCALLED = 'arrived here. If the command names no address of the emulator, add --intercept.'

/**
 * Says that a command ended well without the emulator. With `--intercept`, the list of hosts says it. A test may create
 * its jobs and events without a call of the service.
 */
export function uncalledLines(emulator: Emulator, { called }: CommandRun): string[] {
  const isUsed = hasEntry(usedWorlds(emulator), 'request', 'job', 'delivery')
  return isUsed || called ? [] : [`No call ${UNCALLED}`]
}

function hasEntry(
  worlds: readonly Pick<Emulator, 'journal'>[],
  ...kinds: readonly JournalEntry['kind'][]
): boolean {
  return worlds.some(({ journal }) => journal.entries.some(({ kind }) => kinds.includes(kind)))
}

/** Says that a command ended before its jobs, if the clock lets it wait for them. */
function waitText(emulator: Emulator): string | undefined {
  if (emulator.clock.mode !== 'real') return undefined
  const open = usedWorlds(emulator).flatMap(({ engine }) => {
    return [...engine.store.jobs.values()].filter(({ over }) => !over)
  })
  if (open.length === 0) return undefined
  return `${counted(open.length, 'job was', 'jobs were')} not over. Under the clock real, a job takes as long as its timeline says. Try --clock instant.`
}

/**
 * The cause of a failure, in one line. A command that was stopped and a mistake of the client are sure. A test may
 * want what else failed, so that is only probable.
 */
function causeOf(
  emulator: Emulator,
  run: CommandRun,
  problems: readonly CountedProblem[],
): string | undefined {
  const { late, mistakes = [] } = run
  if (late) return late[0] && `Pending then: ${late[0].what} ${late[0].which}, ${late[0].why}.`
  const [mistake] = mistakes
  if (mistake) return `The client check ${mistake.check} failed: ${mistake.text}.`
  const problem =
    problems.findLast(({ kind }) => kind === 'job') ??
    problems.findLast((each) => !isLoss(each)) ??
    problems.at(-1)
  if (!problem) {
    const wait = waitText(emulator)
    return wait === undefined ? undefined : `Probable cause: ${wait}`
  }
  const { mark, text } = problem
  // The other marks say less than the text: that there was no answer, or that it is an error.
  const isWord = isLoss(problem) || /^\d/.test(mark)
  return `Probable cause: ${isWord ? `${mark} ` : ''}${text}`
}
