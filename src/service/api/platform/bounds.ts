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
} as const

/** Lists of the schema itself, with about how many items each has. */
const SCHEMA_LISTS: Readonly<Record<string, number>> = {
  types: 100,
  fields: 10,
  inputFields: 10,
  args: 5,
  enumValues: 5,
  possibleTypes: 5,
  interfaces: 5,
}

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
    const exceeded = meter.measure(definition.selectionSet)
    if (exceeded !== undefined) return exceeded
  }
  return undefined
}

class BoundError extends Error {}

class Meter {
  readonly #fragments = new Map<string, SelectionSetNode>()
  readonly #variables: Readonly<Record<string, unknown>>
  /** The fragments that are being measured: one that contains itself has no end. */
  readonly #open = new Set<string>()
  #fields = 0
  #aliases = 0
  #cost = 0

  constructor({ definitions }: DocumentNode, variables: Readonly<Record<string, unknown>>) {
    this.#variables = variables
    for (const each of definitions) {
      if (each.kind === Kind.FRAGMENT_DEFINITION)
        this.#fragments.set(each.name.value, each.selectionSet)
    }
  }

  measure(selection: SelectionSetNode): string | undefined {
    try {
      this.#selection(selection, { depth: 1, items: 1, isSchema: false })
      return undefined
    } catch (error) {
      if (error instanceof BoundError) return error.message
      throw error
    }
  }

  #selection({ selections }: SelectionSetNode, place: QueryPlace): void {
    for (const each of selections) {
      if (each.kind === Kind.FIELD) this.#field(each, place)
      else if (each.kind === Kind.INLINE_FRAGMENT) this.#selection(each.selectionSet, place)
      else this.#fragment(each.name.value, place)
    }
  }

  #fragment(name: string, place: QueryPlace): void {
    const fragment = this.#fragments.get(name)
    if (!fragment || this.#open.has(name)) return
    this.#open.add(name)
    this.#selection(fragment, place)
    this.#open.delete(name)
  }

  #field(field: FieldNode, { depth, items, isSchema }: QueryPlace): void {
    this.#check('fields', ++this.#fields)
    if (field.alias) this.#check('aliases', ++this.#aliases)
    this.#cost += items
    this.#check('cost', this.#cost)
    if (!field.selectionSet) return
    this.#check('depth', depth)
    const name = field.name.value
    const inSchema = isSchema || name === '__schema' || name === '__type'
    const each = inSchema ? (SCHEMA_LISTS[name] ?? 1) : this.#pageSize(field)
    this.#selection(field.selectionSet, {
      depth: depth + 1,
      items: items * each,
      isSchema: inSchema,
    })
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

  #check(bound: keyof typeof QUERY_BOUNDS, value: number): void {
    const most = QUERY_BOUNDS[bound]
    if (value <= most) return
    throw new BoundError(
      `The query has a ${bound} of ${value}; at most ${most} is allowed. Ask for less at once.`,
    )
  }
}

interface QueryPlace {
  readonly depth: number
  /** How many items the answer may have here. */
  readonly items: number
  readonly isSchema: boolean
}
