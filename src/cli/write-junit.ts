import { junitXml, type JunitSuite } from './failure/junit.js'
import type { Terminal } from './terminal.js'
import { writeInFolder } from './write-in-folder.js'

/** Writes the file of `--junit`, and says so beside what the command prints. Its exit code stays what it is. */
export async function writeJunit(
  file: string,
  suite: JunitSuite,
  { writeError }: Pick<Terminal, 'writeError'>,
): Promise<void> {
  const report = { what: 'the JUnit report', text: junitXml(suite) }
  await writeInFolder(file, report, { write: writeError, writeError })
}
