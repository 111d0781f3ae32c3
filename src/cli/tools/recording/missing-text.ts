import type { MadeScenario } from '../../../tools/recording/scenario-from.js'
import { shellWord } from '../../shell-word.js'
import type { WrittenScenario } from './written-scenario.js'

/** Says which jobs a scenario does not know to the end, and what to do about it. */
export function missingText(
  { missing, source, isJob = false, advice }: WrittenScenario,
  { partial }: { partial: boolean | undefined },
): string {
  const which = missing.length === 1 ? 'one job' : `${missing.length} jobs`
  const lines = missing.map(({ seen, instead }) => `  ${seen}${partial ? ` ${instead}` : ''}`)
  const shown = [...lines.slice(0, MOST_SHOWN), ...more(lines.length - MOST_SHOWN)]
  const start = isJob ? `${source} is not over` : `${source} does not show how ${which} ended`
  if (partial) {
    return [`${start}, so the scenario is partial:`, ...shown, advice ?? []].flat().join('\n')
  }
  const save = isJob ? 'Run the command again when it is over.' : (advice ?? saveText(missing))
  const partially = 'the scenario is written anyway. Its first lines say what such a job does.'
  const stopped = missing.find((each) => each.stopped !== undefined)?.stopped
  return [
    `${start}, so no scenario is written:`,
    ...shown,
    // A client that stopped early stops there the next time, too.
    ...(stopped === undefined
      ? [save, `With --partial, ${partially}`]
      : [`The client stopped after a call that ${stopped}: add --partial, and ${partially}`, save]),
  ].join('\n')
}

function saveText(missing: MadeScenario['missing']): string {
  const id = missing.find((each) => each.id !== '')?.id
  return id === undefined
    ? 'Save its events again when it is over.'
    : `Record again until it is over. Or read the job from a service that still has it: scenarios from --job ${shellWord(id)} --url <URL of the training API>.`
}

const MOST_SHOWN = 10

function more(count: number): string[] {
  return count > 0 ? [`  … and ${count} more`] : []
}
