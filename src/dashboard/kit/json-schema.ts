/** The part of JSON Schema that the scenario's schema uses. */
export interface JsonSchema {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  /** What people read instead of the values of `enum`. */
  readonly enumNames?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly $ref?: string
  readonly minimum?: number
}

/** What kind of field a schema needs. */
export type FieldKind =
  | { kind: 'choice'; values: readonly string[] }
  | { kind: 'boolean' }
  | { kind: 'number' }
  | { kind: 'text' }
  /** One value, or several with commas between them. */
  | { kind: 'list'; of: 'text' | 'number'; single: boolean; values: readonly string[] }
  | { kind: 'map' }
  | { kind: 'object' }
  | { kind: 'union'; variants: readonly JsonSchema[] }
  | { kind: 'json' }

export function fieldKindOf(schema: JsonSchema): FieldKind {
  const variants = schema.anyOf ?? schema.oneOf
  if (variants) return listIn(variants) ?? { kind: 'union', variants }
  if (schema.enum) return { kind: 'choice', values: schema.enum.map(String) }
  const { type = '' } = schema
  if (type === 'boolean') return { kind: 'boolean' }
  if (type === 'array') return listIn([schema]) ?? { kind: 'json' }
  if (type === 'object') return objectKindOf(schema)
  const simple = SIMPLE[type]
  return simple ? { kind: simple } : { kind: 'json' }
}

function objectKindOf({ properties, additionalProperties }: JsonSchema): FieldKind {
  if (properties) return { kind: 'object' }
  if (typeof additionalProperties === 'object') return { kind: 'map' }
  return { kind: 'json' }
}

const SIMPLE: Readonly<Record<string, 'text' | 'number'>> = {
  string: 'text',
  integer: 'number',
  number: 'number',
}

/** The kind of a list, or of a value that may also be a list of such values. */
function listIn(variants: readonly JsonSchema[]): FieldKind | undefined {
  const lists = variants.filter(({ type }) => type === 'array')
  const singles = variants.filter(({ type }) => type !== 'array')
  const [list] = lists
  const of = SIMPLE[list?.items?.type ?? '']
  if (lists.length !== 1 || singles.length > 1 || !of) return undefined
  const [single] = singles
  if (single && SIMPLE[single.type ?? ''] !== of) return undefined
  const values = (list?.items?.enum ?? single?.enum ?? []).map(String)
  return { kind: 'list', of, single: single !== undefined, values }
}

/** The forms of a union that the value of a field chooses, by that value. */
export function formsBy(field: string, schema: JsonSchema): ReadonlyMap<string, JsonSchema> {
  const forms = (schema.oneOf ?? []).map((form): [string, JsonSchema] => {
    return [String(form.properties?.[field]?.const), form]
  })
  return new Map(forms)
}

/** The form that a value chooses. The field of that value offers all of them, and says what the form is. */
export function chosenForm(field: string, schema: JsonSchema, value: unknown): JsonSchema {
  const forms = formsBy(field, schema)
  const { description, properties, ...form } = forms.get(String(value)) ?? {}
  const choice = { type: 'string', enum: [...forms.keys()], ...(description && { description }) }
  return { ...form, properties: { ...properties, [field]: choice } }
}

/** The fields that all forms of a union have. */
export function sharedFields({ oneOf = [] }: JsonSchema): string[] {
  const [first, ...others] = oneOf
  const names = Object.keys(first?.properties ?? {})
  return names.filter((name) => others.every(({ properties }) => properties?.[name]))
}

/** The index of the variant that a value has the form of. -1 if there is none. */
export function variantOf(variants: readonly JsonSchema[], value: unknown): number {
  if (value === undefined) return -1
  const fitting = variants.findIndex((each) => fits(each, value))
  if (fitting >= 0) return fitting
  // A wrong value, such as a text in the place of a number.
  const simple = variants.findIndex(({ type }) => type !== 'object' && type !== 'array')
  return typeof value === 'object' ? -1 : simple
}

function fits({ type, properties }: JsonSchema, value: unknown): boolean {
  if (Array.isArray(value)) return type === 'array'
  if (typeof value === 'object' && value !== null) {
    return type === 'object' && Object.keys(value).every((key) => properties?.[key] !== undefined)
  }
  if (typeof value === 'number') return type === 'integer' || type === 'number'
  return type === typeof value
}

/** The schema of the value at a place, such as `signature.header`. */
export function schemaAt(schema: JsonSchema, place: string): JsonSchema {
  const names = place.split('.')
  return names.reduce<JsonSchema>((part, name) => part.properties?.[name] ?? {}, schema)
}

/** The places of all values that a field of its own can have: objects are taken apart. */
export function placesIn({ properties = {} }: JsonSchema): string[] {
  return Object.entries(properties).flatMap(([name, part]) => {
    return part.properties ? placesIn(part).map((inner) => `${name}.${inner}`) : [name]
  })
}
