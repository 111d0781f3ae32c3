import type { EmulatorCore } from '../emulator/emulator.js'
import { chooseScenario } from './choose-scenario.js'
import { printableLines, type Terminal } from './terminal.js'
import { watchFile } from './watch.js'

/**
 * Follows scenario files, the first and those that it extends: new jobs follow what they say by then,
 * and a reset returns to it. What cannot be used is reported, and the scenario before it stays. Returns what stops it.
 */
export function followScenario(
  files: readonly string[],
  core: EmulatorCore,
  { writeError }: Terminal,
): () => void {
  const watched = new Map<string, () => void>()
  const tell = (error: Error): void =>
    writeError(printableLines(`${error.message}\nThe scenario stays as it was.`))
  const reload = (): void => {
    chooseScenario(files[0]!, follow).then(({ scenario }) => {
      core.revise(scenario)
      core.journal.note(`Scenario reloaded: ${scenario.name}. New jobs follow it.`)
    }, tell)
  }
  // What is no longer extended is watched all the same: to read once too often does no harm.
  const follow = (file: string): void => {
    if (!watched.has(file)) watched.set(file, watchFile(file, { changed: reload, failed: tell }))
  }
  files.forEach(follow)
  return () => {
    for (const stop of watched.values()) stop()
  }
}
