import { builtInScenarios } from '../../service/scenario/all-built-in-scenarios.js'
import { printableJson } from '../terminal.js'
import { wrapped } from '../text-width.js'
import type { Run } from '../command.js'
import type { scenariosList } from '../commands/scenarios-list.js'

export const runCommand: Run<typeof scenariosList> = async ({ json }, { terminal }) => {
  const { write, paint, columns } = terminal
  const rows = builtInScenarios.map(({ name, description }) => ({ name, description }))
  if (json) {
    write(printableJson(rows, 2))
    return 0
  }
  const width = Math.max(...rows.map(({ name }) => name.length))
  for (const { name, description } of rows) {
    const line = `${paint('bold', name.padEnd(width))}  ${description}`
    wrapped(line, columns?.(), width + 2).forEach(write)
  }
  return 0
}
