import type { JunitSuite } from './failure/junit.js'
import type { Terminal } from './terminal.js'

/** Writes the file of `--junit`, and says so beside what the command prints. Its exit code stays what it is. */
export async function writeJunit(
  file: string | undefined,
  suiteOf: () => JunitSuite,
  { writeError }: Pick<Terminal, 'writeError'>,
): Promise<void> {
  if (file === undefined) return
  // Most runs do not need this code.
  const { junitXml } = await import('./failure/junit.js')
  const { writeInFolder } = await import('./write-in-folder.js')
  const report = { what: 'the JUnit report', text: junitXml(suiteOf()) }
  await writeInFolder(file, report, { write: writeError, writeError })
}
