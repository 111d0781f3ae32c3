/** A piece of a payload template: text that stays as it is, or a variable. */
export type TemplatePart = string | PayloadVariable

export interface PayloadVariable {
  /** Without `${` and `}`. */
  readonly name: string
  /** Whether it stands inside a JSON string. */
  readonly quoted: boolean
}

/** What stands for something whatever the webhook, beside the names of its secrets. */
export const payloadVariables = [
  'project_name',
  'entity_name',
  'event_type',
  'event_author',
  'alias',
  'tag',
  'artifact_collection_name',
  'artifact_version',
  'artifact_version_string',
  'ACCESS_TOKEN',
  'SECRET_NAME',
  // Ours: the service documents none for the events of runs.
  'run_name',
  'run_id',
  'run_state',
  'metric_name',
  'metric_value',
] as const

export const METADATA = 'artifact_metadata.'

/** A template as a scenario has it: JSON with variables, as text or as what the text would mean. */
export type PayloadTemplate = string | Readonly<Record<string, unknown>>

/** Splits a template at its variables: `${name}`. */
export function templateParts(template: PayloadTemplate): TemplatePart[] {
  const text = typeof template === 'string' ? template : JSON.stringify(template)
  const parts: TemplatePart[] = []
  let quoted = false
  let end = 0
  for (const { 0: token, 1: name, index } of text.matchAll(TOKEN)) {
    if (token === '"') quoted = !quoted
    if (name === undefined) continue
    parts.push(text.slice(end, index), { name: quoted ? unescaped(name) : name, quoted })
    end = index + token.length
  }
  parts.push(text.slice(end))
  return parts
}

/** A variable, an escape of JSON (whose quote ends nothing), or a quote. */
const TOKEN = /\$\{([^{}]*)\}|\\.|"/gs

/** A name inside a JSON string is written as JSON writes it. */
function unescaped(name: string): string {
  try {
    return JSON.parse(`"${name}"`) as string
  } catch {
    return name
  }
}

/**
 * The template with each variable's value, escaped so that it is valid JSON whatever the values hold.
 * An unset one is the empty string, never null: receivers declare them all as texts (contract facts,
 * section 11.2). Outside a JSON string, a number or a map stands as itself.
 */
export function fillTemplate(
  parts: readonly TemplatePart[],
  valueOf: (name: string) => unknown,
): string {
  return parts.map((part) => (typeof part === 'string' ? part : written(part, valueOf))).join('')
}

function written({ name, quoted }: PayloadVariable, valueOf: (name: string) => unknown): string {
  const value = valueOf(name) ?? ''
  const json = JSON.stringify(value)
  if (!quoted) return json
  return typeof value === 'string' ? json.slice(1, -1) : JSON.stringify(json).slice(1, -1)
}
