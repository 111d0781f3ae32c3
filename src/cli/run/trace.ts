import { findingLines, lineageLines } from '../../emulator/control/evidence-lines.js'
import { ALL_LINES } from '../../emulator/testing/trace.js'
import type { Client } from '../../compose/create-client.js'
import { printable, printableJson, type Terminal } from '../terminal.js'
import { shortIds, traceLines } from '../report/trace-lines.js'
import { wrapped } from '../text-width.js'
import type { ArgumentsOf, Run } from '../command.js'
import type { trace } from '../commands/trace.js'
import { withRunning } from './running-emulator.js'

/** Prints what happened in a running emulator, and what is scheduled there, or another view of it. */
export const runCommand: Run<typeof trace> = async (args, { terminal }) => {
  const { job, json, all, checks, lineage } = args
  return withRunning(args, terminal, async (client) => {
    if (checks || lineage) await printView(args, client, terminal)
    else if (json) terminal.write(printableJson(await client.timeline({ job }), 2))
    else {
      const text = (await client.trace({ job, lines: all ? ALL_LINES : undefined })).trimEnd()
      // In a file, ids stay whole.
      if (terminal.columns) traceLines(text, terminal).forEach(terminal.write)
      else terminal.write(text)
    }
    return 0
  })
}

/** Prints the mistakes of clients, or the lineage. */
async function printView(
  { job, json, all, checks }: ArgumentsOf<typeof trace>,
  client: Client,
  { write, columns }: Terminal,
): Promise<void> {
  const findings = checks ? await client.clientChecks() : []
  const lineage = checks ? undefined : await client.lineage({ job, ...(all && { limit: 1000 }) })
  if (json) return write(printableJson(lineage ?? { findings }, 2))
  const lines = lineage ? lineageLines(lineage) : findingLines(findings)
  for (const line of lines.map(printable)) {
    if (columns) wrapped(shortIds(line), columns(), 4).forEach(write)
    else write(line)
  }
}
