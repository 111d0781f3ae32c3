import { junitXml } from '../../failure/junit.js'
import type { Terminal } from '../../terminal.js'
import { assertCanBeMade, writeInFolder } from '../../write-in-folder.js'
import type { ArgumentsOf } from '../../command.js'
import type { explore } from './command.js'
import { exploredSuite } from './explored-failures.js'
import type { CommandExploration } from './findings.js'
import { htmlReport } from './html-report.js'

type Outputs = Pick<ArgumentsOf<typeof explore>, 'to' | 'junit' | 'report'>

/** Tries what the user wants to be written to. Call it before the runs, which can take hours. */
export function assertOutputs({ to, junit, report }: Outputs): void {
  if (to !== undefined) assertCanBeMade('--to', to, 'folder')
  if (junit !== undefined) assertCanBeMade('--junit', junit, 'file')
  if (report !== undefined) assertCanBeMade('--report', report, 'file')
}

/** Writes the files of `--junit` and `--report`. */
export async function writeOutputs(
  explored: CommandExploration,
  { junit, report }: Outputs,
  { write, writeError }: Terminal,
): Promise<void> {
  const files = [
    { file: junit, text: () => junitXml(exploredSuite(explored)) },
    { file: report, text: () => htmlReport(explored) },
  ]
  for (const { file, text } of files) {
    if (file === undefined) continue
    await writeInFolder(file, { text: text() }, { write, writeError })
  }
}
