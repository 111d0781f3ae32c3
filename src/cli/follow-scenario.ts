import type { EmulatorCore } from '../emulator.js'
import { chooseScenario } from './choose-scenario.js'
import { printableLines } from './printable.js'
import type { Terminal } from './terminal.js'
import { watchFile } from './watch.js'

/**
 * Follows a scenario file: new jobs follow what it says by then. What cannot be used is reported,
 * and the scenario before it stays. Returns what stops it.
 */
export function followScenario(
  file: string,
  core: EmulatorCore,
  { writeError }: Terminal,
): () => void {
  const tell = (error: Error): void =>
    writeError(printableLines(`${error.message}\nThe scenario stays as it was.`))
  return watchFile(file, {
    changed: () => {
      chooseScenario(file).then(({ scenario }) => {
        core.follow(scenario)
        core.journal.note(`Scenario reloaded: ${scenario.name}. New jobs follow it.`)
      }, tell)
    },
    failed: tell,
  })
}
