import { REPORT_FILE } from '../report-file.js'
import { writeReports } from '../write-report.js'
import type { Run } from '../context.js'
import { withRunning, type RunningArguments } from './running-emulator.js'

type Arguments = RunningArguments & {
  to: string | undefined
  har: string | undefined
  'without-contents': boolean | undefined
}

/** Writes what happened in a running emulator to files. */
export const report: Run<Arguments> = async (args, { terminal }) => {
  const { har, to = har === undefined ? REPORT_FILE : undefined } = args
  const contents = args['without-contents'] ? 'redacted' : 'shown'
  return withRunning(args, terminal, async (client) => {
    let code = 0
    for await (const { text, failed } of writeReports(client, { report: to, har }, { contents })) {
      if (failed) code = 1
      if (failed) terminal.writeError(text)
      else terminal.write(text)
    }
    return code
  })
}
