/**
 * JSON as its source text. A number stays as it is written, keys keep their order, and a key can come twice: a value
 * of JavaScript can do none of this.
 */
export type Tree = Leaf | Items | Fields

/** A text that stands in the document as it is. It need not be JSON. */
export class Leaf {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

export class Items {
  readonly items: Tree[]
  constructor(items: Tree[]) {
    this.items = items
  }
}

export class Fields {
  readonly fields: [key: string, value: Tree][]
  constructor(fields: [key: string, value: Tree][]) {
    this.fields = fields
  }
}

/** A tree that is not there yet: plain values, with trees among them. */
export type Plain =
  | Tree
  | string
  | number
  | boolean
  | null
  | readonly Plain[]
  | { readonly [key: string]: Plain }

export function tree(value: Plain): Tree {
  if (value instanceof Leaf || value instanceof Items || value instanceof Fields) return value
  if (Array.isArray(value)) return new Items(value.map((item) => tree(item as Plain)))
  if (typeof value === 'object' && value !== null) {
    return new Fields(Object.entries(value).map(([key, each]) => [key, tree(each)]))
  }
  return new Leaf(JSON.stringify(value))
}

/** Spaces between the tokens of a document. */
export interface Spacing {
  readonly comma: string
  readonly colon: string
}

const COMPACT: Spacing = { comma: ',', colon: ':' }

export function textOf(value: Tree, spacing = COMPACT): string {
  if (value instanceof Leaf) return value.source
  if (value instanceof Items) {
    return `[${value.items.map((item) => textOf(item, spacing)).join(spacing.comma)}]`
  }
  const fields = value.fields.map(
    ([key, each]) => `${JSON.stringify(key)}${spacing.colon}${textOf(each, spacing)}`,
  )
  return `{${fields.join(spacing.comma)}}`
}

/** A place in a tree where a value stands. */
export class Place {
  readonly value: Tree
  /** The last key or index. */
  readonly step: string | number
  readonly #parent: Items | Fields
  readonly #index: number

  constructor(parent: Items | Fields, index: number) {
    this.#parent = parent
    this.#index = index
    if (parent instanceof Items) [this.step, this.value] = [index, parent.items[index]!]
    else [this.step, this.value] = parent.fields[index]!
  }

  replace(value: Tree): void {
    this.#splice(this.#index, 1, value)
  }

  remove(): void {
    this.#splice(this.#index, 1)
  }

  /** Puts a value behind it, under the same key. */
  repeat(value: Tree): void {
    this.#splice(this.#index + 1, 0, value)
  }

  #splice(at: number, removed: number, ...values: Tree[]): void {
    if (this.#parent instanceof Items) {
      this.#parent.items.splice(at, removed, ...values)
      return
    }
    const { fields } = this.#parent
    const [key] = fields[this.#index]!
    fields.splice(at, removed, ...values.map((value): [string, Tree] => [key, value]))
  }
}

/** All places below a tree, outer ones first. */
export function placesIn(root: Tree, found: Place[] = []): Place[] {
  if (root instanceof Leaf) return found
  const { length } = root instanceof Items ? root.items : root.fields
  for (let index = 0; index < length; index++) {
    const place = new Place(root, index)
    found.push(place)
    placesIn(place.value, found)
  }
  return found
}
