import { ScenarioError } from '../../scenario/scenario-error.js'
import { scenarioErrorLines } from '../report/scenario-problems.js'
import { printable } from '../terminal.js'
import type { Run } from '../context.js'

export const scenariosCheck: Run<{ files: string[] }> = async (args, { terminal }) => {
  const { write, writeError } = terminal
  const { readScenarioFile } = await import('../../scenario/scenario-file.js')
  let bad = false
  for (const file of args.files) {
    try {
      await readScenarioFile(file)
      write(`${printable(file)}: fine`)
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      bad = true
      scenarioErrorLines(error, terminal.errors).forEach(writeError)
    }
  }
  return bad ? 2 : 0
}
