import { junitXml, type JunitSuite } from './failure/junit.js'
import { printable, type Terminal } from './terminal.js'
import { writeInFolder } from './write-in-folder.js'

/**
 * Writes the file of `--junit`, and creates its folder. If the file cannot be written, it says so. The exit
 * code of the command stays what it is.
 */
export async function writeJunit(
  file: string,
  suite: JunitSuite,
  { writeError }: Pick<Terminal, 'writeError'>,
): Promise<void> {
  const { problem, also } = await writeInFolder(file, junitXml(suite))
  if (also !== '') writeError(`Wrote the JUnit report to ${printable(file)}.${also}`)
  if (problem === undefined) return
  writeError(`Failed to write the JUnit report to ${printable(file)}: ${problem}`)
}
