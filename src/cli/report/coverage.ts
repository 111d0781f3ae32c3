import { writeFile } from 'node:fs/promises'
import { coverageSummary } from '../../emulator/coverage/format.js'
import type { Emulator } from '../../emulator/emulator.js'
import { printable, type Output } from '../terminal.js'
import { wrapped } from '../text-width.js'

/** Prints a short table of what a command met, and writes the whole report to `file`, if it is set. */
export async function printCoverage(
  emulator: Emulator,
  file: string | undefined,
  output: Output,
): Promise<void> {
  const report = await emulator.coverage()
  output.write('')
  printLines(coverageSummary(report), output)
  if (file === undefined) return
  try {
    await writeFile(file, `${JSON.stringify(report, null, 2)}\n`)
    output.write(`Wrote the coverage to ${printable(file)}.`)
  } catch (error) {
    output.write(`Failed to write the coverage: ${printable((error as Error).message)}`)
  }
}

/** Prints the lines of a report. */
export function printLines(lines: readonly string[], { write, columns }: Output): void {
  for (const line of lines) wrapped(line, columns?.(), 4).forEach(write)
}
