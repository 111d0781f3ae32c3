import type * as z from 'zod'

/*
 * A world has three records for each job, and reading them with their schemas takes longer than all other work of a
 * start. A quick check is made from a schema. It is true only for what the schema certainly accepts. What it does not
 * understand may still be valid: the schema says so, or what is wrong.
 */

/** Whether a value is certainly valid. */
export type Check = (value: unknown) => boolean

type Schema = z.core.$ZodType
type Def = z.core.$ZodTypes['_zod']['def']
type Of<T extends Def['type']> = Extract<Def, { type: T }>

interface QuickCheckOptions {
  /** Whether objects must have their keys in the order of the schema. What a schema returns has this order. */
  ordered: boolean
  /** Checks that replace those of some schemas, because the caller checks these parts itself. */
  replaced?: ReadonlyMap<Schema, Check>
}

/** Makes a check that is true only for values that the schema accepts, and that it returns without a change. */
export function quickCheck(schema: Schema, options: QuickCheckOptions): Check {
  const replaced = options.replaced?.get(schema)
  return replaced ?? simpleCheck(schema) ?? nestedCheck(schema, options) ?? slowCheck(schema)
}

function defOf(schema: Schema): Def {
  return schema._zod.def as Def
}

/** Checks a schema that returns each text, number, flag or null that it accepts. Undefined for all other schemas. */
function simpleCheck(schema: Schema): Check | undefined {
  const def = defOf(schema)
  if ('coerce' in def && def.coerce) return undefined
  if (def.type === 'string') return 'format' in def ? undefined : textCheck(def)
  if (def.type === 'number') return numberCheck(def)
  if (def.checks && def.checks.length > 0) return undefined
  if (def.type === 'boolean') return (value) => typeof value === 'boolean'
  if (def.type === 'literal' || def.type === 'enum') {
    const allowed: ReadonlySet<unknown> = schema._zod.values!
    return (value) => allowed.has(value)
  }
  if (def.type !== 'nullable') return undefined
  const inner = simpleCheck(def.innerType)
  return inner && nullOr(inner)
}

function textCheck({ checks = [] }: Of<'string'>): Check | undefined {
  let shortest = 0
  for (const { _zod } of checks) {
    const limit = _zod.def as z.core.$ZodChecks['_zod']['def']
    if (limit.check !== 'min_length') return undefined
    shortest = Math.max(shortest, limit.minimum)
  }
  return (value) => typeof value === 'string' && value.length >= shortest
}

function numberCheck(def: Of<'number'>): Check | undefined {
  let check: Check = Number.isFinite
  if ('format' in def) {
    if (def.format !== 'safeint') return undefined
    check = Number.isSafeInteger
  }
  for (const { _zod } of def.checks ?? []) {
    const limit = _zod.def as z.core.$ZodChecks['_zod']['def']
    if (limit.check !== 'greater_than' && limit.check !== 'less_than') return undefined
    check = within(check, limit)
  }
  return check
}

type Limit = z.core.$ZodCheckGreaterThanDef | z.core.$ZodCheckLessThanDef

function within(check: Check, { check: side, value, inclusive }: Limit): Check {
  const limit = Number(value)
  if (side === 'less_than') {
    if (inclusive) return (given) => check(given) && Number(given) <= limit
    return (given) => check(given) && Number(given) < limit
  }
  if (inclusive) return (given) => check(given) && Number(given) >= limit
  return (given) => check(given) && Number(given) > limit
}

/** Checks a schema that has other schemas in it. Undefined if it may change or refuse what these accept. */
function nestedCheck(schema: Schema, options: QuickCheckOptions): Check | undefined {
  const def = defOf(schema)
  const inner = (each: Schema): Check => quickCheck(each, options)
  if (def.checks && def.checks.length > 0) return undefined
  if (def.type === 'unknown') return isScalar
  if (def.type === 'optional') return inner(def.innerType)
  if (def.type === 'nullable') return nullOr(inner(def.innerType))
  if (def.type === 'array') return listOf(inner(def.element))
  if (def.type === 'tuple') return def.rest ? undefined : tupleOf(def.items.map(inner))
  if (def.type === 'record') {
    return isAnyText(def.keyType) ? mapOf(inner(def.valueType)) : undefined
  }
  if (def.type === 'union') return unionCheck(def, inner)
  if (def.type !== 'object') return undefined
  const fields = Object.entries(def.shape).map(([name, each]): Field => {
    return { name, check: inner(each), isOptional: mayBeLeftOut(each) }
  })
  return options.ordered ? orderedFields(fields) : anyFields(fields)
}

/** What can be anything may also be nested too deeply. A text or a number is not. */
const isScalar: Check = (value) => {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    value === null ||
    Number.isFinite(value)
  )
}

function nullOr(check: Check): Check {
  return (value) => value === null || check(value)
}

function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return false
    // `every` would pass over an element that is missing.
    for (let index = 0; index < value.length; index++) if (!check(value[index])) return false
    return true
  }
}

function tupleOf(checks: readonly Check[]): Check {
  return (value) => {
    return (
      Array.isArray(value) &&
      value.length === checks.length &&
      checks.every((check, index) => check(value[index]))
    )
  }
}

function isAnyText(schema: Schema): boolean {
  const def = defOf(schema)
  return def.type === 'string' && simpleCheck(schema) !== undefined && !def.checks?.length
}

function mapOf(check: Check): Check {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    for (const key of Object.keys(value)) {
      if (key === '__proto__' || !check((value as Record<string, unknown>)[key])) return false
    }
    return true
  }
}

interface Field {
  name: string
  check: Check
  isOptional: boolean
}

/** Whether an object without this field stays without it. A default would be filled in. */
function mayBeLeftOut(schema: Schema): boolean {
  const def = defOf(schema)
  return def.type === 'optional' && def.innerType._zod.optin === undefined
}

function orderedFields(fields: readonly Field[]): Check {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const keys = Object.keys(value)
    let at = 0
    for (const { name, check, isOptional } of fields) {
      if (keys[at] === name) {
        if (!check((value as Record<string, unknown>)[name])) return false
        at++
      } else if (!isOptional) return false
    }
    return at === keys.length
  }
}

function anyFields(fields: readonly Field[]): Check {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const given = value as Record<string, unknown>
    let known = 0
    for (const { name, check, isOptional } of fields) {
      if (isOptional && given[name] === undefined) continue
      if (!check(given[name])) return false
      known++
    }
    return Object.keys(value).length === known
  }
}

/** A union returns what its first fitting option makes of the value, so only one of them may fit. */
function unionCheck(def: Of<'union'>, inner: (schema: Schema) => Check): Check | undefined {
  if ('discriminator' in def)
    return discriminatedCheck(def as z.core.$ZodDiscriminatedUnionDef, inner)
  if (def.inclusive === false) return undefined
  const nested = def.options.filter((each) => simpleCheck(each) === undefined)
  if (nested.length > 1 || !nested.every(isNested)) return undefined
  const checks = def.options.map(inner)
  return (value) => checks.some((check) => check(value))
}

/** Whether a schema accepts only lists and objects. */
function isNested(schema: Schema): boolean {
  return ['array', 'tuple', 'record', 'object'].includes(defOf(schema).type)
}

function discriminatedCheck(
  { options, discriminator }: z.core.$ZodDiscriminatedUnionDef,
  inner: (schema: Schema) => Check,
): Check {
  const checks = new Map<unknown, Check>()
  for (const option of options) {
    const check = inner(option)
    for (const value of option._zod.propValues?.[discriminator] ?? []) checks.set(value, check)
  }
  return (value) => {
    const kind: unknown = Object(value)[discriminator]
    return checks.get(kind)?.(value) ?? false
  }
}

/** Checks with the schema itself, and only texts, numbers and flags: it may make another object of an object. */
function slowCheck(schema: Schema): Check {
  // Most deliveries have the same URL.
  let known: unknown
  return (value) => {
    if (!isScalar(value)) return false
    if (value === known) return true
    const { success, data } = (schema as z.ZodType).safeParse(value)
    if (!success || data !== value) return false
    known = value
    return true
  }
}
