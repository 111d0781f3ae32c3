import {
  Kind,
  type DocumentNode,
  type FieldNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql'

/** The most that one query may ask for. */
export const QUERY_BOUNDS = {
  /** Characters of its text. */
  characters: 100_000,
  /** Words and signs of its text. */
  tokens: 5000,
  /** Fields inside of fields. */
  depth: 25,
  /** Fields, with those of fragments each time they are used. */
  fields: 5000,
  /** Fields with another name in the answer. */
  aliases: 300,
  /** Fields of all items of all pages. */
  cost: 1_000_000,
  /** Items, and characters of them, that its filters and orders read. A search with a pattern, or an object, is many. */
  reading: 10_000_000,
} as const

/** Lists of the schema itself, with about how many items each has. */
const SCHEMA_LISTS: ReadonlyMap<string, number> = new Map([
  ['types', 100],
  ['fields', 10],
  ['inputFields', 10],
  ['args', 5],
  ['enumValues', 5],
  ['possibleTypes', 5],
  ['interfaces', 5],
])

/** How many items a page has that does not say how many. */
const UNSAID_PAGE = 50

/**
 * Says which bound a query exceeds. Undefined: none. It runs before the query is checked and executed, because these
 * take longer the larger a query is.
 */
export function exceededBound(
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
): string | undefined {
  const meter = new Meter(document, variables)
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const weight = meter.measure(definition.selectionSet)
    const exceeded = (['fields', 'aliases', 'depth', 'cost'] as const).find(
      (bound) => weight[bound] > QUERY_BOUNDS[bound],
    )
    if (exceeded) return exceededText(exceeded, weight[exceeded])
  }
  return undefined
}

/** What a part of a query asks for. */
interface Weight {
  readonly fields: number
  readonly aliases: number
  readonly depth: number
  readonly cost: number
}

const NOTHING: Weight = { fields: 0, aliases: 0, depth: 0, cost: 0 }

class Meter {
  readonly #fragments = new Map<string, SelectionSetNode>()
  readonly #variables: Readonly<Record<string, unknown>>
  /** Fragments are measured once, however often they are used. One that contains itself adds nothing. */
  readonly #measured = new Map<string, Weight>()

  constructor({ definitions }: DocumentNode, variables: Readonly<Record<string, unknown>>) {
    this.#variables = variables
    for (const each of definitions) {
      if (each.kind === Kind.FRAGMENT_DEFINITION)
        this.#fragments.set(each.name.value, each.selectionSet)
    }
  }

  /** @param isSchema Whether it is a part of the schema itself that is asked for. */
  measure({ selections }: SelectionSetNode, isSchema = false): Weight {
    return selections
      .map((each) => {
        if (each.kind === Kind.FIELD) return this.#field(each, isSchema)
        if (each.kind === Kind.INLINE_FRAGMENT) return this.measure(each.selectionSet, isSchema)
        return this.#fragment(each.name.value, isSchema)
      })
      .reduce(together, NOTHING)
  }

  #fragment(name: string, isSchema: boolean): Weight {
    const key = `${name} ${isSchema}`
    const known = this.#measured.get(key)
    if (known) return known
    this.#measured.set(key, NOTHING)
    const fragment = this.#fragments.get(name)
    // Its use counts as a field: a fragment without fields is work, too.
    const weight = fragment ? together(this.measure(fragment, isSchema), USE) : USE
    this.#measured.set(key, weight)
    return weight
  }

  #field(field: FieldNode, isSchema: boolean): Weight {
    const name = field.name.value
    const inSchema = isSchema || name === '__schema' || name === '__type'
    const items = inSchema ? (SCHEMA_LISTS.get(name) ?? 1) : this.#pageSize(field)
    const inside = field.selectionSet && this.measure(field.selectionSet, inSchema)
    const { fields, aliases, depth, cost } = inside ?? NOTHING
    return {
      fields: 1 + fields,
      aliases: (field.alias ? 1 : 0) + aliases,
      depth: inside ? 1 + depth : 0,
      cost: 1 + items * cost,
    }
  }

  #pageSize({ arguments: given = [] }: FieldNode): number {
    const first = given.find(({ name }) => name.value === 'first')
    if (first) return Math.max(1, this.#numberIn(first.value))
    return given.some(({ name }) => name.value === 'after') ? UNSAID_PAGE : 1
  }

  #numberIn(value: ValueNode): number {
    if (value.kind === Kind.INT) return Number(value.value)
    const given = value.kind === Kind.VARIABLE ? this.#variables[value.name.value] : undefined
    return typeof given === 'number' ? given : UNSAID_PAGE
  }
}

const USE: Weight = { ...NOTHING, fields: 1 }

function together(one: Weight, other: Weight): Weight {
  return {
    fields: one.fields + other.fields,
    aliases: one.aliases + other.aliases,
    depth: Math.max(one.depth, other.depth),
    cost: one.cost + other.cost,
  }
}

/** Says that a query exceeds a bound. */
export function exceededText(bound: keyof typeof QUERY_BOUNDS, value: number): string {
  return `The query exceeds the limit for ${bound}: it has ${value}, and at most ${QUERY_BOUNDS[bound]} is allowed. Ask for less at once.`
}
