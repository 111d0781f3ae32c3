import { existsSync } from 'node:fs'
import { wallNow } from '../../base/clock/wall.js'
import { nearest } from '../../base/text/nearest.js'
import { builtInScenarioNames } from '../../service/scenario/built-in-scenarios.js'
import { namesFile } from '../../service/scenario/names-file.js'
import { problemText, ScenarioError } from '../../service/scenario/scenario-error.js'
import { scenarioNotes } from '../../service/scenario/scenario-notes.js'
import type { Failure } from '../failure/failure.js'
import type { JunitCase } from '../failure/junit.js'
import { plain } from '../failure/lines.js'
import { scenarioErrorLines } from '../report/scenario-problems.js'
import { listScenarioFiles } from '../scenario-files.js'
import { printable } from '../terminal.js'
import type { Run } from '../command.js'
import type { scenariosCheck } from '../commands/scenarios-check.js'
import { UsageError } from '../usage-error.js'
import { writeJunit } from '../write-junit.js'

export const runCommand: Run<typeof scenariosCheck> = async (args, { terminal }) => {
  if (args.watch) {
    if (args.junit !== undefined) {
      throw new UsageError('--junit writes a report of one check. Leave out --watch or --junit.')
    }
    const { watchScenarios } = await import('./scenarios-watch.js')
    return watchScenarios(args.files, terminal)
  }
  const { write, writeError } = terminal
  const cases: JunitCase[] = []
  const start = wallNow()
  const { readScenarioFile } = await import('../../service/scenario/scenario-file.js')
  let bad = false
  for (const file of listScenarioFiles(args.files).files) {
    const began = wallNow()
    try {
      assertNoName(file)
      const scenario = await readScenarioFile(file)
      const notes = scenarioNotes(scenario).map((note) => `\n  ${printable(note)}`)
      write(`${printable(file)}: fine${notes.join('')}`)
      cases.push({ name: file, took: wallNow() - began })
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      bad = true
      scenarioErrorLines(error, terminal.errors).forEach(writeError)
      cases.push({ name: file, took: wallNow() - began, failure: failureOf(error) })
    }
  }
  const name = 'svtrain-emulator scenarios check'
  const suite = { name, properties: {}, cases, took: wallNow() - start }
  await writeJunit(args.junit, () => suite, terminal)
  return bad ? 2 : 0
}

function failureOf(error: ScenarioError): Failure {
  const [first] = error.problems
  return {
    title: first === undefined ? error.heading : problemText(first),
    kind: 'scenario',
    reason: scenarioErrorLines(error, plain).join('\n').trimEnd(),
  }
}

/** @throws {ScenarioError} When it is the name of a built-in scenario, or nearly, and there is no such file. */
function assertNoName(file: string): void {
  if (namesFile(file) || existsSync(file)) return
  const known: readonly string[] = builtInScenarioNames
  const name = nearest(file, known)
  if (name === undefined) return
  throw new ScenarioError(
    `There is no file ${file}. Built-in scenarios are checked already: "svtrain-emulator scenarios show ${name}" prints ${name}. To change it, save that as a file, such as ./mine.yaml.`,
  )
}
