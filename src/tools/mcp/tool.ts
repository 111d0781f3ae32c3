import type * as docsPages from '../../emulator/adapters/docs-pages.js'
import type { Call } from '../../emulator/control/client/call.js'
import {
  defaulted,
  type Field,
  type Fields,
  type Shape,
} from '../../service/contract/pydantic/fields.js'
import { boundedInteger } from '../../service/contract/pydantic/integer.js'
import { model } from '../../service/contract/pydantic/model.js'
import type { Components, JsonSchema, Schema } from '../../service/contract/pydantic/schema.js'

/** The pages of the documentation. A browser has none. */
export type DocsReader = typeof docsPages

/** What each tool gets besides its arguments. */
export interface ToolContext {
  /** Calls the control API of the emulator. */
  readonly call: Call
  readonly docs: DocsReader
  /** The tools of the server. */
  readonly tools: readonly Tool[]
  /** Aborted when the client cancels the call, or when the server stops. */
  readonly signal: AbortSignal
}

/** What a tool does, for clients that ask before they call it. */
export interface Effects {
  /** Whether it changes nothing. */
  readonly readOnlyHint: boolean
  /** Whether it may remove something. */
  readonly destructiveHint?: boolean
  /** Whether it reaches anything besides the emulator. */
  readonly openWorldHint: boolean
}

/** It reads from the emulator. */
export const READS: Effects = { readOnlyHint: true, openWorldHint: false }
/** It adds or changes something in the emulator. */
export const CHANGES: Effects = {
  readOnlyHint: false,
  destructiveHint: false,
  openWorldHint: false,
}
/** It ends or removes something in the emulator. */
export const ENDS: Effects = { ...CHANGES, destructiveHint: true }

/** A row of the table of tools. */
export interface Tool {
  readonly name: string
  readonly description: string
  /** The schema of its arguments. */
  readonly input: Schema<unknown>
  readonly annotations: Effects
  /** The calls of the control API that it stands for, such as `GET /jobs/{job_id}`. */
  readonly calls?: readonly string[]
  readonly run: (args: never, context: ToolContext) => string | Promise<string>
}

/** The reason that a tool gives instead of a result. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

interface Row<F extends Fields> extends Pick<
  Tool,
  'name' | 'description' | 'annotations' | 'calls'
> {
  /** Its arguments. */
  readonly input: F
  readonly run: (args: Shape<F>, context: ToolContext) => string | Promise<string>
}

/** Makes a row of the table. A tool refuses arguments that it does not declare. */
export function tool<const F extends Fields>({ input, ...row }: Row<F>): Tool {
  return { ...row, input: model('Arguments', input, { extra: 'forbid' }) }
}

/** The argument of tools whose result may be long. */
export const pageField: Field<number, 'defaulted'> = defaulted(boundedInteger({ ge: 1 }), () => 1, {
  description: 'A page of the result.',
})

/** Returns the JSON Schema of the arguments of a tool. */
export function schemaOf({ input }: Tool): JsonSchema {
  const components: Components = {}
  input.describe(components)
  const { properties = {}, ...schema } = withoutTitle(components['Arguments']!)
  const fields = Object.entries(properties as Record<string, JsonSchema>)
  const shown = fields.map(([name, field]) => [name, withoutTitle(field)])
  return { ...schema, properties: Object.fromEntries(shown) }
}

/** The title of a field is its name again. */
function withoutTitle(schema: JsonSchema): JsonSchema {
  const shown = Object.entries(schema).filter(([key]) => key !== 'title')
  return Object.fromEntries(
    shown.map(([key, value]) => [key, key === 'description' ? toolWords(value as string) : value]),
  )
}

/** Words of the control API for assistants, who have tools instead of calls. */
export function toolWords(text: string): string {
  return text.replaceAll(/`?GET \/_emulator\/scenarios`?/g, 'list_scenarios')
}
