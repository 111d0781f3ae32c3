import type { Emulator } from '../emulator/emulator.js'
import { chooseScenario, type ScenarioChoice } from './choose-scenario.js'
import { ScenarioError } from '../service/scenario/scenario-error.js'
import { scenarioErrorLines } from './report/scenario-problems.js'
import { printableLines, type Terminal } from './terminal.js'
import { watchFile } from './watch.js'

/**
 * Reloads a scenario when its file, or a file that it extends, changes. New jobs use the new scenario, and
 * a reset returns to it. A scenario that cannot be used is reported, and the previous one stays.
 *
 * @returns A function that stops it.
 */
export function followScenario(
  files: readonly string[],
  emulator: Emulator,
  { writeError, errors }: Terminal,
): () => void {
  const watched = new Map<string, () => void>()
  const tell = (error: Error): void => {
    if (error instanceof ScenarioError) scenarioErrorLines(error, errors).forEach(writeError)
    else writeError(printableLines(error.message))
    writeError('The previous scenario stays in use.')
  }
  const reload = (): void => {
    readAgain()
      .then(({ scenario }) => {
        emulator.revise(scenario)
        emulator.journal.note(`Scenario reloaded: ${scenario.name}. New jobs use it.`)
      })
      .catch(tell)
  }
  const readAgain = async (): Promise<ScenarioChoice> => {
    await emulator.checks.load()
    return chooseScenario(files[0]!, follow)
  }
  // A file that is no longer extended stays watched: an unnecessary reload does no harm.
  const follow = (file: string): void => {
    if (!watched.has(file)) watched.set(file, watchFile(file, { changed: reload, failed: tell }))
  }
  files.forEach(follow)
  return () => {
    for (const stop of watched.values()) stop()
  }
}
