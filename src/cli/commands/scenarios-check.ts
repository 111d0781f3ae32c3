import { ScenarioError } from '../../scenario/scenario-error.js'
import { printable, printableLines } from '../printable.js'
import { readArguments } from './arguments.js'
import type { Run } from './command.js'

export const scenariosCheck: Run = async (called, { write, writeError }) => {
  const read = await readArguments(called, { flags: {}, takes: 'one or more files', several: true })
  if (read.kind === 'text') {
    write(read.text)
    return 0
  }
  const { readScenarioFile } = await import('../../scenario/scenario-file.js')
  let bad = false
  for (const file of read.positionals) {
    try {
      await readScenarioFile(file)
      write(`${printable(file)}: fine`)
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      bad = true
      writeError(printableLines(error.message))
    }
  }
  return bad ? 2 : 0
}
