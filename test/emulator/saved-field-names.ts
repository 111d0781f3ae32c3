import type * as z from 'zod'
import { engineParts } from '../../src/service/engine/saved/engine-parts.js'
import { recordFields } from '../../src/service/engine/saved/record-fields.js'
import { schemaOf } from '../../src/service/engine/saved/record-schema.js'
import { webhookParts } from '../../src/service/scenario/schema/webhooks.js'
import { pieceKinds, pieceSchema } from '../../src/webhooks/sending/saved-webhooks-schema.js'

/** A field that may be missing, in a record: older worlds may lack it. */
export interface SavedField {
  /** Its place in records of its kind: `checkpoint.expiresAt`. */
  readonly name: string
  /** Its place in this record, and its value. Only of fields that a record has. */
  readonly path: readonly (string | number)[]
  readonly value: unknown
}

/** What scenarios consist of is saved as it is. */
const WHOLE: ReadonlySet<unknown> = new Set([
  recordFields.savedScenario,
  recordFields.ruleOrPlace,
  recordFields.fault,
  webhookParts,
])

const schemas: ReadonlyMap<string, z.ZodType> = new Map([
  ...engineParts.map((part): [string, z.ZodType] => [part.kind, schemaOf(part)]),
  ...pieceKinds.map((kind): [string, z.ZodType] => {
    return [kind, pieceSchema(kind === 'parts' ? kind : `${kind} name`)!]
  }),
])

/** The kind of a record, or what an entry of the webhooks is about. */
function kindOf({ kind, key }: { kind: string; key?: string }): string {
  return kind === 'outgoing' ? key!.split(' ', 1)[0]! : kind
}

/** The names of all fields of saved parts that a record may lack. */
export function optionalFields(): string[] {
  return [...new Set([...schemas].flatMap(([kind, schema]) => [...namesIn(schema, kind)]))]
}

/** The fields that a record may lack, and that it has. */
export function fieldsIn(record: { kind: string; key?: string }): SavedField[] {
  const kind = kindOf(record)
  return [...fieldsOf(schemas.get(kind)!, { name: kind, path: [], value: record })]
}

/** The parts of a schema, each with what its name adds. */
function partsOf(schema: z.core.$ZodType): Part[] {
  if (WHOLE.has(schema)) return []
  const def = schema._zod.def as z.core.$ZodTypes['_zod']['def']
  if (def.type === 'object') {
    return Object.entries(def.shape).map(([key, of]) => ({ key, of, added: `.${key}` }))
  }
  if (def.type === 'tuple') return def.items.map((of, key) => ({ key, of, added: `[${key}]` }))
  if (def.type === 'array') return [{ key: EACH, of: def.element, added: '[]' }]
  if (def.type === 'record') return [{ key: EACH, of: def.valueType, added: '{}' }]
  if (def.type === 'union') return def.options.map((of) => ({ of, added: kindIn(of) }))
  if (def.type === 'optional' || def.type === 'nullable') return [{ of: def.innerType, added: '' }]
  if (PLAIN.includes(def.type)) return []
  throw new Error(`Add schemas of the type "${def.type}" here.`)
}

/** Schemas without others in them. */
const PLAIN = ['string', 'number', 'boolean', 'literal', 'enum', 'unknown']

interface Part {
  of: z.core.$ZodType
  added: string
  /** The key of the value. Undefined: the part is about the value itself. */
  key?: string | number | typeof EACH
}

const EACH = Symbol('each')

/** What tells an option from the others: the kind of an event. */
function kindIn(option: z.core.$ZodType): string {
  const [event] = option._zod.propValues?.['event'] ?? []
  return event === undefined ? '' : `(${String(event)})`
}

function* namesIn(schema: z.core.$ZodType, name: string): Generator<string> {
  for (const { of, added, key } of partsOf(schema)) {
    if (key !== undefined && of._zod.optin === 'optional') yield name + added
    yield* namesIn(of, name + added)
  }
}

function* fieldsOf(
  schema: z.core.$ZodType,
  { name, path, value }: SavedField,
): Generator<SavedField> {
  if (value === null || value === undefined) return
  for (const { of, added, key } of partsOf(schema)) {
    if (key === undefined) {
      const isIt = added === '' || added === `(${(value as { event?: string }).event})`
      if (isIt && (of as z.ZodType).safeParse(value).success) {
        yield* fieldsOf(of, { name: name + added, path, value })
      }
      continue
    }
    const keys = key === EACH ? Object.keys(value) : [key]
    for (const each of keys) {
      const inner = (value as Record<string | number, unknown>)[each]
      const field = { name: name + added, path: [...path, each], value: inner }
      if (of._zod.optin === 'optional' && inner !== undefined) yield field
      yield* fieldsOf(of, field)
    }
  }
}
