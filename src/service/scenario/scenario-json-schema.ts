import * as z from 'zod'
import { operationField } from './schema/fault-fields.js'
import { scenarioSchema } from './schema/scenario.js'

/**
 * The JSON Schema of scenario files, for completion and checks in editors.
 *
 * @param operations - The ids of all operations, for completion. Default: some examples.
 */
export function scenarioJsonSchema(
  operations?: readonly string[],
): Readonly<Record<string, unknown>> {
  const { $schema, ...rest } = z.toJSONSchema(scenarioSchema, {
    io: 'input',
    // A file cannot have functions. Their branches are removed below.
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema === operationField && operations) jsonSchema.examples = [...operations]
      if (!jsonSchema.anyOf) return
      const branches = jsonSchema.anyOf.filter((branch) => Object.keys(branch).length > 0)
      const [only] = branches
      if (branches.length === 1 && only) {
        // A union of one schema is replaced by that schema. Editors complete it better.
        delete jsonSchema.anyOf
        const own = { ...jsonSchema }
        Object.assign(jsonSchema, only, own)
      } else jsonSchema.anyOf = branches
    },
  })
  return {
    $schema,
    title: 'A scenario of svtrain-emulator',
    description:
      'What happens in the emulator: its models, jobs, chats, faults, webhooks and timeline.',
    ...rest,
  }
}
