import type { Run } from '../context.js'

export const scenariosSchema: Run<unknown> = async (_args, { terminal }) => {
  const { scenarioJsonSchema } = await import('../../scenario/scenario-json-schema.js')
  terminal.write(JSON.stringify(scenarioJsonSchema(), null, 2))
  return 0
}
