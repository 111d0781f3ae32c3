import { junitXml, type JunitSuite } from './failure/junit.js'
import type { Terminal } from './terminal.js'
import { writeInFolder } from './write-in-folder.js'

/** Writes the file of `--junit`. It says so only if its folder is new. The exit code of the command stays what it is. */
export async function writeJunit(
  file: string,
  suite: JunitSuite,
  { writeError }: Pick<Terminal, 'writeError'>,
): Promise<void> {
  const write = (text: string): void => void (text.endsWith('is new.') && writeError(text))
  await writeInFolder(
    file,
    { what: 'the JUnit report', text: junitXml(suite) },
    { write, writeError },
  )
}
