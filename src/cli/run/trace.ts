import { findingLines, lineageLines } from '../../emulator/control/evidence-lines.js'
import { ALL_LINES, traceText } from '../../emulator/testing/trace.js'
import type { Client } from '../../compose/create-client.js'
import { printable, printableJson, type Terminal } from '../terminal.js'
import { shortIds, traceLines } from '../report/trace-lines.js'
import { wrapped } from '../text-width.js'
import type { ArgumentsOf, Run } from '../command.js'
import type { trace } from '../commands/trace.js'
import { runningCall, withRunning } from './running-emulator.js'

/** Prints what happened in a running emulator, and what is scheduled there, or another view of it. */
export const runCommand: Run<typeof trace> = async (args, { terminal }) => {
  const { job, json, checks, checkpoint } = args
  const lineage = args.lineage ?? checkpoint !== undefined
  return withRunning(args, terminal, async (client) => {
    if (checks || lineage) await printView(args, client, terminal)
    else if (json) terminal.write(printableJson(await client.timeline({ job }), 2))
    else await printLines(args, terminal)
    return 0
  })
}

/** Prints the trace. The lines that say how many are left out say what shows them. */
async function printLines(args: ArgumentsOf<typeof trace>, terminal: Terminal): Promise<void> {
  const { job, all } = args
  const query = { job, format: 'json', lines: all ? ALL_LINES : undefined } as const
  const answer = await runningCall(args)('GET /trace', { query })
  const lines = (answer as Exclude<typeof answer, string>).lines.map((line) => {
    return line.kind === 'left_out' ? { ...line, text: `${line.text}: --all shows them` } : line
  })
  // In a file, ids stay whole.
  if (terminal.columns) traceLines(lines, terminal).forEach(terminal.write)
  else terminal.write(traceText(lines))
}

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
