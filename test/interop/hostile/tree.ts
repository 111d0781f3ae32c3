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
export interface Place {
  readonly value: Tree
  /** The last key or index. */
  readonly step: string | number
  replace(value: Tree): void
  remove(): void
  /** Puts the same again behind it, under the same key. */
  repeat(value: Tree): void
}

/** All places below a tree, outer ones first. */
export function placesIn(root: Tree): Place[] {
  if (root instanceof Leaf) return []
  const { items, put } = partsOf(root)
  return items.flatMap((part, index) => [
    {
      value: part.value,
      step: part.step,
      replace: (value: Tree) => put.replace(index, value),
      remove: () => put.remove(index),
      repeat: (value: Tree) => put.repeat(index, value),
    },
    ...placesIn(part.value),
  ])
}

interface Parts {
  items: { step: string | number; value: Tree }[]
  put: {
    replace: (index: number, value: Tree) => void
    remove: (index: number) => void
    repeat: (index: number, value: Tree) => void
  }
}

function partsOf(root: Items | Fields): Parts {
  if (root instanceof Items) {
    const { items } = root
    return {
      items: items.map((value, step) => ({ step, value })),
      put: {
        replace: (index, value) => void (items[index] = value),
        remove: (index) => void items.splice(index, 1),
        repeat: (index, value) => void items.splice(index + 1, 0, value),
      },
    }
  }
  const { fields } = root
  return {
    items: fields.map(([step, value]) => ({ step, value })),
    put: {
      replace: (index, value) => void (fields[index] = [fields[index]![0], value]),
      remove: (index) => void fields.splice(index, 1),
      repeat: (index, value) => void fields.splice(index + 1, 0, [fields[index]![0], value]),
    },
  }
}
