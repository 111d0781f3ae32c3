import type { Emulator } from '../emulator/emulator.js'
import { chooseScenario } from './choose-scenario.js'
import type { Scenario } from '../service/scenario/scenario.js'
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
  // Only the latest reload counts. An earlier one may end later, and read an older file.
  let latest: object | undefined
  const reload = (): void => {
    const current = (latest = {})
    const ifLatest = (act: () => void): void => {
      if (latest === current) act()
    }
    const read = async (): Promise<Scenario> => {
      await emulator.checks.load()
      const { scenario } = await chooseScenario(files[0]!, (file) => ifLatest(() => follow(file)))
      return scenario
    }
    const use = (scenario: Scenario): void => {
      emulator.revise(scenario)
      emulator.journal.note(`Scenario reloaded: ${scenario.name}. New jobs use it.`)
    }
    read()
      .then((scenario) => ifLatest(() => use(scenario)))
      .catch((error: unknown) => ifLatest(() => tell(error as Error)))
  }
  // A file that is no longer extended stays watched: an unnecessary reload does no harm.
  const follow = (file: string): void => {
    if (!watched.has(file)) watched.set(file, watchFile(file, { changed: reload, failed: tell }))
  }
  files.forEach(follow)
  return () => {
    latest = undefined
    for (const stop of watched.values()) stop()
  }
}
