/** A part of a payload template: a text, or a variable. */
export type TemplatePart = string | PayloadVariable

export interface PayloadVariable {
  /** The name, without `${` and `}`. */
  readonly name: string
  /** Whether the variable is inside a JSON string. */
  readonly quoted: boolean
}

const ABOUT_ARTIFACTS = [
  'project_name',
  'entity_name',
  'event_type',
  'event_author',
  'alias',
  'tag',
  'artifact_collection_name',
  'artifact_version',
  'artifact_version_string',
] as const

/** Variables of payloads that stand for a secret of any name. */
export const SECRET_VARIABLES = ['ACCESS_TOKEN', 'SECRET_NAME'] as const

/** We chose these names: the service documents no variables for the events of runs. */
const ABOUT_RUNS = ['run_name', 'run_id', 'run_state', 'metric_name', 'metric_value'] as const

/** The variables that every webhook has. The names of its secrets are also variables. */
export const payloadVariables = [...ABOUT_ARTIFACTS, ...SECRET_VARIABLES, ...ABOUT_RUNS] as const

/** The variables that say what happened. */
export type EventVariable = (typeof ABOUT_ARTIFACTS | typeof ABOUT_RUNS)[number]

export const METADATA = 'artifact_metadata.'

/** A template of a scenario: JSON with variables, as a text or as a value. */
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

/** A variable, an escaped character in a JSON string (an escaped quote does not end the string), or a quote. */
const TOKEN = /\$\{([^{}]*)\}|\\.|"/gs

/** Inside a JSON string, a name is escaped as in JSON. */
function unescaped(name: string): string {
  try {
    return JSON.parse(`"${name}"`) as string
  } catch {
    return name
  }
}

/**
 * Fills in the variables of a template. Values are escaped, so that the result is valid JSON. Outside a JSON
 * string, numbers and maps keep their types. A variable without a value becomes an empty text and not null,
 * because receivers declare all variables as texts: see docs/explain/contract.md#webhook-requests.
 */
export function fillPayload(
  parts: readonly TemplatePart[],
  valueOf: (name: string) => unknown,
): string {
  return parts
    .map((part) => (typeof part === 'string' ? part : formatVariable(part, valueOf)))
    .join('')
}

function formatVariable(
  { name, quoted }: PayloadVariable,
  valueOf: (name: string) => unknown,
): string {
  const value = valueOf(name) ?? ''
  const json = JSON.stringify(value)
  if (!quoted) return json
  return typeof value === 'string' ? json.slice(1, -1) : JSON.stringify(json).slice(1, -1)
}
