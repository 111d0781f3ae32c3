import { isRecord } from '../../../contract/pydantic/record.js'
import { partAt } from '../../../../base/text/json-pointer.js'
import type { JsonSchema } from '../answer-format.js'

/** The fields of a score, as the schema of a request describes them. */
export interface ScoreShape {
  /** The schema of the object that has the score. Its references are valid in it. */
  schema: Readonly<Record<string, unknown>>
  /** The name of the field with the score. */
  score: string
  /** The other fields that hold a number. */
  numbers: readonly string[]
  /** The fields with a text that explains the score. */
  texts: readonly string[]
  /** The other verdicts, such as `faithful`: true or false, as the score is. */
  verdicts: readonly string[]
  fields: Readonly<Record<string, Schema>>
}

/** A list with one score for each judged text. */
export interface ListShape extends ScoreShape {
  /** The names that lead to the list. Empty if the whole answer is the list. */
  path: readonly string[]
  /** The name of the field with the id of a text. */
  id: string
  /** Whether ids are whole numbers. */
  hasNumericIds: boolean
  /** The ids that the schema allows. Undefined if it allows any. */
  ids: readonly string[] | undefined
}

export type Schema = Readonly<Record<string, unknown>>

const MOST_REFERENCES = 16
const DEEPEST_LIST = 4
/** The most fields in which a list is searched. Clients choose the schema, and it can refer to itself. */
const MOST_PLACES = 1000

/** Finds a list of objects with an id and a number in the schema of a request. */
export function findListShape(root: JsonSchema): ListShape | undefined {
  if (!isRecord(root)) return undefined
  const places: { path: string[]; schema: Schema }[] = [{ path: [], schema: resolve(root, root) }]
  // Breadth first: the list grows while it is read.
  for (const { path, schema } of places) {
    const item = schema.items
    if (isRecord(item)) {
      const shape = listShape(path, resolve(item, root), root)
      if (shape) return shape
    }
    if (path.length === DEEPEST_LIST || places.length > MOST_PLACES) continue
    for (const [name, field] of fieldsOf(schema, root)) {
      places.push({ path: [...path, name], schema: field })
    }
  }
  return undefined
}

function listShape(path: readonly string[], item: Schema, root: Schema): ListShape | undefined {
  const fields = fieldsOf(item, root)
  const [id, idField] =
    fields.find(([name, field]) => isId(name) && ['string', 'integer'].includes(typeOf(field))) ??
    []
  if (id === undefined) return undefined
  const others = fields.filter(([name]) => name !== id)
  const shape = scoreShape(item, { fields: others, root })
  if (!shape) return undefined
  const allowed = idField!.const === undefined ? idField!.enum : [idField!.const]
  const ids = Array.isArray(allowed) ? allowed.map(String) : undefined
  return { ...shape, path, id, hasNumericIds: typeOf(idField!) === 'integer', ids }
}

/** Finds the number with the name of a score, the only number, or the verdict, in the schema of a request: the score of one text. */
export function findSingleShape(root: JsonSchema): ScoreShape | undefined {
  if (!isRecord(root)) return undefined
  const schema = resolve(root, root)
  const shape = scoreShape(schema, { fields: fieldsOf(schema, root), root })
  return shape && (shape.numbers.length === 0 || SCORE.test(shape.score)) ? shape : undefined
}

/** How fields with a score are named. */
export const SCORE =
  /score|reward|rating|grade|mark|points?$|quality|verdict|^(?:total|overall)$|^(?:is_?)?(?:pass|correct)/i
/** How fields that explain a score are named. */
export const EXPLANATION =
  /expla|reason|rational|feedback|comment|justif|analysis|critique|thought|why|summary/i

/** How fields are named that are true of a good text. */
const GOOD =
  /^(?:is_?|has_?)?(?:pass|correct|right|true|good|ok|valid|faithful|accurate|complete|relevant|helpful|safe|success|accept|approve)/i

function scoreShape(
  schema: Schema,
  { fields, root }: { fields: readonly (readonly [string, Schema])[]; root: Schema },
): ScoreShape | undefined {
  const required = Array.isArray(schema.required) ? (schema.required as unknown[]) : []
  const numeric = fields.filter(([, field]) => ['number', 'integer'].includes(typeOf(field)))
  const [score] =
    numeric.find(([name]) => SCORE.test(name)) ??
    numeric.find(([name]) => required.includes(name)) ??
    fields.find(([name, field]) => SCORE.test(name) && choicesOf(field)) ??
    []
  if (score === undefined) return undefined
  const texts = fields.filter(([name, field]) => typeOf(field) === 'string' && isFree(field, name))
  return {
    schema: { $defs: root.$defs, definitions: root.definitions, ...schema },
    score,
    numbers: numeric.map(([name]) => name).filter((name) => name !== score),
    texts: texts.map(([name]) => name),
    verdicts: fields.flatMap(([name, field]) => {
      return name !== score && typeOf(field) === 'boolean' && GOOD.test(name) ? [name] : []
    }),
    fields: Object.fromEntries(fields),
  }
}

const NEGATIVE = /^(?:no|false|incorrect|fail(?:ed)?|bad|wrong|invalid)$/i

/** The verdicts that a field allows, the worst first. Undefined if it holds a number or any text. */
export function choicesOf(field: Schema): readonly unknown[] | undefined {
  if (typeOf(field) === 'boolean') return [false, true]
  const { enum: allowed } = field
  if (!Array.isArray(allowed) || !allowed.every((each) => typeof each === 'string'))
    return undefined
  const isNegative = (each: string): boolean => NEGATIVE.test(each)
  return [...allowed.filter(isNegative), ...allowed.filter((each) => !isNegative(each))]
}

function isFree(field: Schema, name: string): boolean {
  const { enum: allowed, const: only, pattern, format } = field
  return (
    EXPLANATION.test(name) && [allowed, only, pattern, format].every((each) => each === undefined)
  )
}

/** Whether a name is that of an id: `id`, `trajectory_id`, `candidateId`, `textid`, `index`. */
function isId(name: string): boolean {
  return /(?:^|[_\-.])(?:id|identifier|index|idx)(?:$|[_\-.])|(?:Id|ID|Index)$|id$/.test(name)
}

function fieldsOf(schema: Schema, root: Schema): (readonly [string, Schema])[] {
  if (!isRecord(schema.properties)) return []
  return Object.entries(schema.properties).map(([name, field]) => {
    return [name, isRecord(field) ? resolve(field, root) : {}] as const
  })
}

/** Follows references, and chooses the variant that is not null. */
function resolve(schema: Schema, root: Schema): Schema {
  let found = schema
  for (let count = 0; count < MOST_REFERENCES; count++) {
    const next = referenced(found, root) ?? onlyVariant(found)
    if (!next) return found
    const { $ref: _ref, allOf: _all, anyOf: _any, oneOf: _one, ...own } = found
    found = { ...next, ...own }
  }
  return found
}

function referenced({ $ref }: Schema, root: Schema): Schema | undefined {
  if (typeof $ref !== 'string' || !$ref.startsWith('#')) return undefined
  const found = partAt(root, $ref.slice(1))
  return isRecord(found) ? found : undefined
}

function onlyVariant({ allOf, anyOf, oneOf }: Schema): Schema | undefined {
  const variants: unknown = allOf ?? anyOf ?? oneOf
  if (!Array.isArray(variants)) return undefined
  const meant = variants.filter((each) => isRecord(each) && each.type !== 'null') as Schema[]
  return meant.length === 1 ? meant[0] : undefined
}

/** The type of a value, besides null. Empty if the schema does not say it. */
export function typeOf({ type, enum: allowed, const: only }: Schema): string {
  if (typeof type === 'string') return type
  if (Array.isArray(type)) return (type.find((each) => each !== 'null') as string | undefined) ?? ''
  const values: readonly unknown[] = Array.isArray(allowed) ? allowed : [only]
  if (values.every((each) => typeof each === 'number')) return 'number'
  return values.every((each) => typeof each === 'string') ? 'string' : ''
}
