import { RUN_AGAIN } from '../../base/text/evidence.js'
import { counted } from '../../base/text/counted.js'
import type { Emulator } from '../../emulator/emulator.js'
import { groupedFindings } from '../../emulator/testing/grouped-findings.js'
import { latestWorlds } from '../../emulator/testing/used-worlds.js'
import { formatDuration } from '../report/format.js'
import { shortIds } from '../report/trace-lines.js'
import { shownKey } from '../shown-key.js'
import { signalText, type CommandRun } from './command-run.js'
import type { Failure, FailurePart } from './failure.js'
import { pendingNow, pendingPart } from './pending.js'
import { firstRows, problemsOfRun, problemsPart } from './problems-part.js'
import { causeOf } from './why-command-failed.js'

/** How many worlds are shown with their keys. */
const MOST_WORLDS = 8

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

/** With `--isolate`, which world belongs to which key. */
function worldsPart(emulator: Emulator): FailurePart[] {
  const worlds = [...emulator.worlds]
  if (worlds.length === 0) return []
  const shown = latestWorlds(worlds, MOST_WORLDS).map((world) => {
    return `${world.worldName} (key ${shownKey(world)})`
  })
  const left = worlds.length - shown.length
  const more = left > 0 ? `${counted(left, 'world')} before, ` : ''
  return [{ heading: 'Worlds', form: 'sentence', text: more + shown.join(', ') }]
}
