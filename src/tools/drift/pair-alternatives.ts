import type { Alternative, Schemas } from './schemas.js'

/** What the schemas of two documents mean. */
export interface BothSchemas {
  readonly theirs: Schemas
  readonly ours: Schemas
}

/** Which forms of the service and the emulator belong together. */
export interface AlternativePairs {
  /** Each form of the service with that of the emulator. */
  readonly pairs: readonly (readonly [Alternative, Alternative])[]
  /** The forms that only the service has. */
  readonly added: readonly Alternative[]
  /** The forms that only the emulator has. */
  readonly removed: readonly Alternative[]
}

/**
 * Pairs the forms of one type: by the values that tell them apart, such as a role, and then by their fields.
 * Their names and order do not matter.
 */
export function pairsOf(
  theirs: readonly Alternative[],
  ours: readonly Alternative[],
  schemas: BothSchemas,
): AlternativePairs {
  if (theirs.length === 1 && ours.length === 1) {
    return { pairs: [[theirs[0]!, ours[0]!]], added: [], removed: [] }
  }
  const scored = theirs.flatMap((one, index) =>
    ours.map((other, place) => ({
      one,
      other,
      order: index + place,
      score: likeness(one, other, schemas),
    })),
  )
  scored.sort((a, b) => b.score - a.score || a.order - b.order)
  const pairs = new Map<Alternative, Alternative>()
  const taken = new Set<Alternative>()
  for (const { one, other, score } of scored) {
    if (score <= 0 || pairs.has(one) || taken.has(other)) continue
    pairs.set(one, other)
    taken.add(other)
  }
  return {
    pairs: [...pairs],
    added: theirs.filter((each) => !pairs.has(each)),
    removed: ours.filter((each) => !taken.has(each)),
  }
}

/** How much two forms of the same type have in common. 0 or less: they are different forms. */
function likeness(one: Alternative, other: Alternative, schemas: BothSchemas): number {
  if (one.type === 'array') return likenessOfItems(one, other, schemas)
  const [marks, others] = [marksOf(one, schemas.theirs), marksOf(other, schemas.ours)]
  let score = 0
  for (const [name, value] of marks) {
    const same = others.get(name)
    if (same !== undefined && same !== value) return -1
    if (same !== undefined) score += 20
  }
  const names = [...one.properties.keys()]
  const shared = names.filter((name) => other.properties.has(name)).length
  const all = names.length + other.properties.size - shared
  // Two objects without any field are alike.
  return score + (all === 0 ? 1 : (10 * shared) / all)
}

function likenessOfItems(one: Alternative, other: Alternative, schemas: BothSchemas): number {
  const types = (alternatives: readonly Alternative[]): string[] =>
    alternatives.map(({ type }) => type)
  const theirs = types(schemas.theirs.alternatives(one.items))
  const ours = types(schemas.ours.alternatives(other.items))
  const shared = theirs.filter((type) => ours.includes(type)).length
  return shared === 0 ? 0 : 10 * shared - Math.abs(theirs.length - ours.length)
}

/** The fields that have one value, such as `role: "assistant"`. */
export function marksOf(
  { properties }: Alternative,
  schemas: Schemas,
): ReadonlyMap<string, string> {
  const marks = new Map<string, string>()
  for (const [name, schema] of properties) {
    const alternatives = schemas.alternatives(schema)
    const [only] = alternatives
    if (alternatives.length !== 1 || only!.values?.length !== 1) continue
    marks.set(name, String(only!.values[0]))
  }
  return marks
}

/** The names that tell forms apart come first. */
const USUAL_MARKS = ['type', 'role', 'kind', 'event', 'object']

/** A label for each form, for places: `{role=assistant}`. The order of the fields does not matter. */
export function labelsOf(
  alternatives: readonly Alternative[],
  schemas: Schemas,
): ReadonlyMap<Alternative, string> {
  const labels = new Map<Alternative, string>()
  const used = new Map<string, number>()
  for (const each of alternatives) {
    const text = each.type === 'array' ? itemsText(each, schemas) : fieldsText(each, schemas)
    const count = (used.get(text) ?? 0) + 1
    used.set(text, count)
    labels.set(each, `{${text}${count === 1 ? '' : ` ${count}`}}`)
  }
  return labels
}

function itemsText({ items }: Alternative, schemas: Schemas): string {
  const types = new Set(schemas.alternatives(items).map(({ type }) => type))
  return `items=${[...types].sort().join('|')}`
}

/** The most fields that a label names. */
const MOST_NAMED = 3

function fieldsText(alternative: Alternative, schemas: Schemas): string {
  const marks = marksOf(alternative, schemas)
  const usual = USUAL_MARKS.filter((name) => marks.has(name))
  const [first] = usual.length > 0 ? usual : [...marks.keys()].sort()
  if (first !== undefined) return `${first}=${marks.get(first)}`
  const names = [...alternative.properties.keys()].sort()
  if (names.length === 0) return 'any fields'
  return names.slice(0, MOST_NAMED).join('+') + (names.length > MOST_NAMED ? '+…' : '')
}
