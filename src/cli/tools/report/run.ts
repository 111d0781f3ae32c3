import { REPORT_FILE } from '../../report-file.js'
import { shellWord } from '../../shell-word.js'
import { writeReports } from '../../write-report.js'
import { printable } from '../../terminal.js'
import type { Run } from '../../command.js'
import type { report } from './command.js'
import { withRunning } from '../../run/running-emulator.js'

/** Writes what happened in a running emulator to files. */
export const runCommand: Run<typeof report> = async (args, { terminal, program }) => {
  const { har, to = har === undefined ? REPORT_FILE : undefined } = args
  const contents = args['without-contents'] ? 'redacted' : 'shown'
  return withRunning(args, terminal, async (client) => {
    const { write, writeError } = terminal
    const isFine = await writeReports(client, { report: to, har }, { contents, write, writeError })
    const made = har ?? to
    if (isFine && made !== undefined) {
      terminal.write(
        `Next: ${program} scenarios from ${printable(shellWord(made))} --to incident.yaml`,
      )
    }
    return isFine ? 0 : 1
  })
}
