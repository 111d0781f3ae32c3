import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { junitXml, type JunitSuite } from './failure/junit.js'
import { printable, type Terminal } from './terminal.js'

/**
 * Writes the file of `--junit`, and creates its folder. If the file cannot be written, it says so. The exit
 * code of the command stays what it is.
 */
export async function writeJunit(
  file: string,
  suite: JunitSuite,
  { writeError }: Pick<Terminal, 'writeError'>,
): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, junitXml(suite))
  } catch (error) {
    const { message } = error as Error
    writeError(printable(`Failed to write the JUnit report to ${file}: ${message}`))
  }
}
