import { counted } from '../../base/text/counted.js'
import { isDocumented } from '../../emulator/adapters/routes.js'
import type { Emulator } from '../../emulator/emulator.js'
import type { CalledHost } from '../../emulator/intercept/called-hosts.js'
import { formatRequest } from '../../emulator/testing/format.js'
import { pendingIn } from '../../emulator/testing/pending.js'
import { problemsIn, type CountedProblem } from '../../emulator/testing/problems.js'
import { latestWorlds, usedWorlds } from '../../emulator/testing/trace.js'
import { effectsText, inventedText } from '../../emulator/testing/unnoticed.js'
import type { RequestEntry } from '../../service/engine/journal.js'
import { formatDuration } from '../report/format.js'
import { shortIds } from '../report/trace-lines.js'
import { shownKey } from '../shown-key.js'
import { cut } from '../text-width.js'
import type { Failure, FailurePart, FailureRow, PendingRow } from './failure.js'
import type { JunitCase, JunitSuite } from './junit.js'
import { partLines, plain } from './lines.js'

/** A command that ran beside an emulator. */
export interface CommandRun {
  command: readonly string[]
  code: number
  /** Milliseconds of real time. */
  took: number
  /** The words of the command that runs the same again. */
  again: readonly string[]
  /** The mistakes that the client checks found, if they were asked for. */
  mistakes?: readonly { readonly check: string; readonly text: string }[]
  /** What was pending when the command was stopped because it ran too long. */
  late?: readonly PendingRow[] | undefined
  /** The hosts that it called, if a proxy led it to the emulator. */
  called?: readonly CalledHost[] | undefined
}

/** How many mistakes of the client are shown. */
const MOST_MISTAKES = 8
/** How many worlds are named with their keys. */
const MOST_KEYS = 8
/** How many different problems are shown, the latest ones. */
const MOST_PROBLEMS = 8
/** How many rows there are with failed jobs that came before them. */
const MOST_ROWS = 16
const FAILED_HERE = 'What failed in the emulator'
/** The longest name of a test case. Some CI systems cut longer ones in the middle. */
const LONGEST_NAME = 200

/** A command that failed: what happened in the emulator, how to reproduce it, and what is still pending. */
export function commandFailure(emulator: Emulator, run: CommandRun): Failure {
  const { command, code, took, again, mistakes = [], late } = run
  const time = formatDuration(took)
  const [title, kind] = late
    ? [`did not end in ${time} and was stopped`, 'timeout']
    : [`exited with code ${code}`, 'exit_code']
  const headline = { subject: command.join(' '), text: endOf(run), facts: `It ran for ${time}.` }
  const problems = problemsOf(emulator, run)
  const parts: FailurePart[] = [
    ...worldsPart(emulator),
    ...mistakesPart(mistakes),
    problemsPart(emulator, run, problems),
    { heading: 'Run it again', form: 'command', words: again },
    late ? pendingPart(late, 'when it was stopped') : pendingPart(pendingOf(emulator)),
  ]
  return { title, kind, headline, cause: causeOf(emulator, run, problems), parts }
}

function endOf({ code, late, mistakes = [] }: CommandRun): string {
  if (late) return 'did not end in time and was stopped.'
  if (code !== 0 || mistakes.length === 0) return `exited with code ${code}.`
  return `exited with code 0, but the client checks found ${counted(mistakes.length, 'mistake')}.`
}

/** With `--isolate`, which world belongs to which key. */
function worldsPart(emulator: Emulator): FailurePart[] {
  const worlds = [...emulator.worlds]
  if (worlds.length === 0) return []
  const shown = latestWorlds(worlds, MOST_KEYS).map((world) => {
    return `${world.worldName} (key ${shownKey(world)})`
  })
  const left = worlds.length - shown.length
  const more = left > 0 ? `${counted(left, 'world')} before, ` : ''
  return [{ heading: 'Worlds', form: 'sentence', text: more + shown.join(', ') }]
}

function mistakesPart(mistakes: NonNullable<CommandRun['mistakes']>): FailurePart[] {
  if (mistakes.length === 0) return []
  const rows = mistakes.slice(0, MOST_MISTAKES).map(({ check, text }) => {
    return { label: check, text: shortIds(text) }
  })
  const left = mistakes.length - MOST_MISTAKES
  const below = left > 0 ? `… ${left} more` : undefined
  return [{ heading: 'Client checks', form: 'names', rows, below }]
}

/** The latest refused requests, failed jobs, failed deliveries and errors. */
function problemsPart(
  emulator: Emulator,
  run: CommandRun,
  problems: readonly CountedProblem[],
): FailurePart {
  const all = problems.map(problemRow)
  const latest = all.length - MOST_PROBLEMS
  // A job that failed is not lost among refusals.
  const rows = all.filter(({ label }, at) => at >= latest || label === 'job').slice(-MOST_ROWS)
  const left = all.length - rows.length
  return {
    heading: FAILED_HERE,
    form: 'marks',
    rows,
    above: left > 0 ? `… ${left} earlier` : undefined,
    below:
      all.length > 0
        ? inventedText(usedWorlds(emulator))
        : `Nothing${nothingFailed(emulator, run)}`,
  }
}

/** What failed in all worlds, and the hosts of the service that were refused. */
function problemsOf(emulator: Emulator, { called = [] }: CommandRun): CountedProblem[] {
  const refused = called.filter((each) => each.refused > 0 && isDocumented(each.host))
  return [
    ...problemsIn(emulator),
    ...refused.map(({ host, refused: count, failures }) => {
      return { mark: '403', text: `${host} was refused: ${failures.join('; ')}`, entry: 0, count }
    }),
  ]
}

/**
 * Failed jobs and deliveries that no receiver took, a line for each: a command that passes may have swallowed them.
 * Empty if there are none.
 */
export function lossesPart(emulator: Emulator): FailurePart[] {
  const losses = problemsIn(emulator).filter(({ mark }) => isLoss(mark))
  const rows = losses.map(problemRow)
  if (rows.length === 0) return []
  const left = rows.length - MOST_PROBLEMS
  const below = left > 0 ? `… ${left} more` : undefined
  return [{ heading: FAILED_HERE, form: 'marks', rows: rows.slice(0, MOST_PROBLEMS), below }]
}

/** Whether nothing undoes it. A refusal may be the start of a retry. */
function isLoss(mark: string): boolean {
  return mark === 'job' || mark === 'delivery'
}

function problemRow({ mark, text, count }: CountedProblem): FailureRow {
  const times = count === 1 ? '' : ` (${count} times)`
  return { label: mark, text: shortIds(text) + times }
}

/** Says why a command may have failed although nothing failed here. */
function nothingFailed(emulator: Emulator, { called }: CommandRun): string {
  const worlds = usedWorlds(emulator)
  const effects = effectsText(worlds)
  if (effects !== undefined) return `, but this came from the scenario: ${effects}.`
  const reason = waitText(emulator) ?? inventedText(worlds)
  if (reason !== undefined) return `, but ${reason}`
  const refused = called?.filter((each) => each.refused > 0).map(({ host }) => host) ?? []
  // It may be a judge that the program cannot do without, or telemetry.
  if (refused.length > 0)
    return `, but calls to ${refused.join(', ')} were refused. The list of hosts says what to do.`
  const isCalled = worlds.some(({ journal }) => {
    return journal.entries.some(({ kind }) => kind === 'request')
  })
  return isCalled || called
    ? ': the output of the command says more.'
    : ': no call arrived here. If the command names no address of the emulator, add --intercept.'
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

/** @param when Completes the heading, if the time is over. */
function pendingPart(pending: readonly PendingRow[], when?: string): FailurePart {
  const [is, are] = when === undefined ? ['is', 'are'] : ['was', 'were']
  const end = when === undefined ? 'pending' : `pending ${when}`
  if (pending.length === 0) return { heading: `Nothing ${is} ${end}`, form: 'nothing' }
  const heading = `${counted(pending.length, `thing ${is}`, `things ${are}`)} ${end}`
  const rows = pending.map(({ what, which, why }) => {
    return { what, which: shortIds(which), why: shortIds(why) }
  })
  return { heading, form: 'columns', rows }
}

/** What is pending in all worlds. */
function pendingOf(emulator: Emulator): PendingRow[] {
  const used = usedWorlds(emulator)
  return latestWorlds(used, used.length).flatMap((world) => {
    return pendingIn(world).map(({ what, which, why }) => {
      return { what: world.worldName === null ? what : `${world.worldName} ${what}`, which, why }
    })
  })
}

/** What is pending while the command still runs: also the responses that a fault keeps back. */
export function pendingNow(emulator: Emulator): PendingRow[] {
  const hanging = usedWorlds(emulator).flatMap(({ journal, engine }): PendingRow[] => {
    const left = journal.entries.filter(
      (entry) => entry.kind === 'request' && entry.lost === 'hang',
    )
    const { hanging: still } = engine.delayed
    return (still === 0 ? [] : left.slice(-still)).map((entry) => {
      const which = formatRequest(entry as RequestEntry)
      return { what: 'request', which, why: 'gets no answer, because a fault hangs' }
    })
  })
  return [...hanging, ...pendingOf(emulator)]
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
  const latest = (isMeant: (mark: string) => boolean): CountedProblem | undefined => {
    return problems.findLast(({ mark }) => isMeant(mark))
  }
  const problem =
    latest((mark) => mark === 'job') ?? latest((mark) => !isLoss(mark)) ?? problems.at(-1)
  if (!problem) {
    const wait = waitText(emulator)
    return wait === undefined ? undefined : `Probable cause: ${wait}`
  }
  const { mark, text } = problem
  // The other marks say less than the text: that there was no answer, or that it is an error.
  const isWord = isLoss(mark) || /^\d/.test(mark)
  return `Probable cause: ${isWord ? `${mark} ` : ''}${text}`
}

interface SuiteSettings {
  /** The names of the client checks. Empty without `--checks`. */
  readonly checks: readonly string[]
  /** Why the command could not be started. */
  readonly why?: string | undefined
}

/** The test cases of a command: the command itself, and each client check. */
export function commandSuite(
  emulator: Emulator,
  run: CommandRun,
  { checks, why }: SuiteSettings,
): JunitSuite {
  const { command, took, mistakes = [] } = run
  const { seed, scenario } = emulator
  const words = command.join(' ')
  return {
    name: 'svtrain-emulator exec',
    properties: { command: words, scenario: scenario.name, seed: String(seed) },
    took,
    cases: [
      { name: cut(words, LONGEST_NAME), took, ...outcomeOf(emulator, run, why) },
      ...checks.map((check) => checkCase(check, mistakes)),
    ],
  }
}

function outcomeOf(
  emulator: Emulator,
  run: CommandRun,
  why: string | undefined,
): Partial<JunitCase> {
  if (why !== undefined) return { error: { title: why, kind: 'not_started', reason: why } }
  if (run.code !== 0) return { failure: commandFailure(emulator, { ...run, mistakes: [] }) }
  // What the emulator refused although the command passed: it may be on purpose.
  if (problemsIn(emulator).length === 0) return {}
  return {
    stdout: [...partLines(problemsPart(emulator, run, problemsOf(emulator, run)), plain), ''].join(
      '\n',
    ),
  }
}

function checkCase(check: string, mistakes: NonNullable<CommandRun['mistakes']>): JunitCase {
  const found = mistakes.filter((mistake) => mistake.check === check).map(({ text }) => text)
  const name = `client check ${check}`
  if (found.length === 0) return { name }
  return { name, failure: { title: found[0]!, kind: check, reason: found.join('\n') } }
}
