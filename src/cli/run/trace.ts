import { ALL_LINES } from '../../emulator/testing/trace.js'
import { printableJson } from '../terminal.js'
import { traceLines } from '../report/trace-lines.js'
import type { Run } from '../command.js'
import type { trace } from '../commands/trace.js'
import { withRunning } from './running-emulator.js'

/** Prints what happened in a running emulator, and what is scheduled there. */
export const runCommand: Run<typeof trace> = async (args, { terminal }) => {
  const { job, json, all } = args
  return withRunning(args, terminal, async (client) => {
    if (json) terminal.write(printableJson(await client.timeline({ job }), 2))
    else {
      const text = (await client.trace({ job, lines: all ? ALL_LINES : undefined })).trimEnd()
      // In a file, ids stay whole.
      if (terminal.columns) traceLines(text, terminal).forEach(terminal.write)
      else terminal.write(text)
    }
    return 0
  })
}
