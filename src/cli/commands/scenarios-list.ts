import { builtInScenarios } from '../../scenario/built-in-scenarios.js'
import { readArguments } from './arguments.js'
import type { Run } from './command.js'
import { json } from './json-flag.js'

export const scenariosList: Run = async (called, { write, paint }) => {
  const read = await readArguments(called, { flags: { json } })
  if (read.kind === 'text') {
    write(read.text)
    return 0
  }
  const rows = builtInScenarios.map(({ name, description }) => ({ name, description }))
  if (read.flags.json) {
    write(JSON.stringify(rows, null, 2))
    return 0
  }
  const width = Math.max(...rows.map(({ name }) => name.length))
  for (const { name, description } of rows) {
    write(`${paint('bold', name.padEnd(width))}  ${description}`)
  }
  return 0
}
