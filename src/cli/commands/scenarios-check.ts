import { ScenarioError } from '../../scenario/scenario-error.js'
import { scenarioErrorLines } from '../report/scenario-problems.js'
import { listScenarioFiles } from '../scenario-files.js'
import { printable } from '../terminal.js'
import type { Run } from '../context.js'

interface Arguments {
  files: string[]
  watch: boolean | undefined
}

export const scenariosCheck: Run<Arguments> = async (args, { terminal }) => {
  if (args.watch) {
    const { watchScenarios } = await import('./scenarios-watch.js')
    return watchScenarios(args.files, terminal)
  }
  const { write, writeError } = terminal
  const { readScenarioFile } = await import('../../scenario/scenario-file.js')
  let bad = false
  for (const file of listScenarioFiles(args.files).files) {
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
