import { traceLines } from '../report/trace-lines.js'
import type { Run } from '../context.js'
import { withRunning, type RunningArguments } from './running-emulator.js'

type Arguments = RunningArguments & { job: string | undefined; json: boolean | undefined }

/** Prints what happened in a running emulator, and what is scheduled there. */
export const trace: Run<Arguments> = async (args, { terminal }) => {
  const { job, json } = args
  return withRunning(args, terminal, async (client) => {
    if (json) terminal.write(JSON.stringify(await client.timeline({ job }), null, 2))
    else {
      const text = (await client.trace({ job })).trimEnd()
      // In a file, ids stay whole.
      if (terminal.columns) traceLines(text, terminal).forEach(terminal.write)
      else terminal.write(text)
    }
    return 0
  })
}
