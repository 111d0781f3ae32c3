import { readArguments } from './arguments.js'
import type { Run } from './command.js'

export const scenariosSchema: Run = async (called, { write }) => {
  const read = await readArguments(called, { flags: {} })
  if (read.kind === 'text') {
    write(read.text)
    return 0
  }
  const { scenarioJsonSchema } = await import('../../scenario/scenario-json-schema.js')
  write(JSON.stringify(scenarioJsonSchema(), null, 2))
  return 0
}
