import * as z from 'zod'
import { scenarioSchema } from './schema/scenario.js'

/** The JSON Schema of scenario files, from which editors complete and check. */
export function scenarioJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...rest } = z.toJSONSchema(scenarioSchema, {
    io: 'input',
    // What only code can say has no place in a file; the branches that stand for it go below.
    unrepresentable: 'any',
    override({ jsonSchema }) {
      if (!jsonSchema.anyOf) return
      const branches = jsonSchema.anyOf.filter((branch) => Object.keys(branch).length > 0)
      const [only] = branches
      if (branches.length === 1 && only) {
        // A choice of one is none, and editors complete better without.
        delete jsonSchema.anyOf
        const own = { ...jsonSchema }
        Object.assign(jsonSchema, only, own)
      } else jsonSchema.anyOf = branches
    },
  })
  return {
    $schema,
    title: 'A scenario of svtrain-emulator',
    description: 'What happens in the emulator: jobs, faults, and what else goes on.',
    ...rest,
  }
}
