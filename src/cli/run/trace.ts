import { findingLines, lineageLines } from '../../emulator/control/evidence-lines.js'
import { ALL_LINES } from '../../emulator/testing/trace.js'
import type { Client } from '../../compose/create-client.js'
import { printable, printableJson, type Terminal } from '../terminal.js'
import { shortIds, traceLines } from '../report/trace-lines.js'
import { wrapped } from '../text-width.js'
import type { ArgumentsOf, Run } from '../command.js'
import type { trace } from '../commands/trace.js'
import { runningCall, withRunning } from './running-emulator.js'

/** Prints what happened in a running emulator, and what is scheduled there, or another view of it. */
export const runCommand: Run<typeof trace> = async (args, { terminal }) => {
  const { job, json, all, checks, checkpoint } = args
  const lineage = args.lineage ?? checkpoint !== undefined
  return withRunning(args, terminal, async (client) => {
    if (checks || lineage) await printView(args, client, terminal)
    else if (json) terminal.write(printableJson(await client.timeline({ job }), 2))
    else {
      const whole = await client.trace({ job, lines: all ? ALL_LINES : undefined })
      const text = whole.trimEnd().replaceAll(LEFT_OUT, '$&: --all shows them')
      // In a file, ids stay whole.
      if (terminal.columns) traceLines(text, terminal).forEach(terminal.write)
      else terminal.write(text)
    }
    return 0
  })
}

/** The lines that say how many lines are left out. */
const LEFT_OUT = /^ {2}… (?:and \d+ other failures?|\d+ lines? before these|\d+ more)$/gm

/** Prints the mistakes of clients, or the lineage. */
async function printView(
  args: ArgumentsOf<typeof trace>,
  client: Client,
  { write, columns }: Terminal,
): Promise<void> {
  const { job, checkpoint, json, all, checks } = args
  const view = checks
    ? await runningCall(args)('GET /client-checks', { query: {} })
    : await client.lineage({ job, checkpoint, ...(all && { limit: 1000 }) })
  if (json) return write(printableJson(view, 2))
  const lines = 'findings' in view ? findingLines(view) : lineageLines(view)
  for (const line of lines.map(printable)) {
    if (columns) wrapped(shortIds(line), columns(), 4).forEach(write)
    else write(line)
  }
}
