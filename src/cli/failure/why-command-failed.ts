import { counted } from '../../base/text/counted.js'
import { WITHOUT_CHAT_KEY } from '../../base/text/vendor/sdk-variables.js'
import type { Emulator } from '../../emulator/emulator.js'
import type { CountedProblem } from '../../emulator/testing/problems.js'
import { usedWorlds } from '../../emulator/testing/used-worlds.js'
import { effectsText, inventedText, scoredText } from '../../emulator/testing/unnoticed.js'
import type { JournalEntry } from '../../service/engine/journal.js'
import { signalText, type CommandRun } from './command-run.js'

/** Whether nothing undoes a problem. A refusal may be the start of a retry. */
export function isLoss({ kind }: CountedProblem): boolean {
  return kind === 'job' || kind === 'delivery'
}

/** Says why a command may have failed although nothing failed here. */
export function nothingFailed(emulator: Emulator, run: CommandRun): string {
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
export function causeOf(
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
