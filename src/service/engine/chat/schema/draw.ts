import { setOwn } from '../../../contract/pydantic/record.js'
import { shapesFor, type Check } from './check.js'
import { drawNumber } from './draw-number.js'
import { drawLetters, drawText, type DrawTools } from './draw-text.js'
import * as kinds from './shape.js'
import { kindOf, type EnumValues, type Shape } from './shape.js'
import { Unmet } from './unmet.js'
import type { Work } from './work.js'

/** The most values in an answer. */
const MOST_VALUES = 1000
const TOO_MANY = `needs more than ${MOST_VALUES.toLocaleString('en')} values.`
/** If an answer has more values than this, only values that the schema requires are drawn. */
const MANY_VALUES = 300
/** How often a schema may contain itself before its values must end. */
const REPETITIONS = 2
const TRIES = 8
/** How many values are tried for an item that must differ from the others. */
const MOST_ITEMS = 20
/** Drawing a value takes this many times more of the stack than checking it. */
const LEVELS = 4

interface Options {
  /** A number in [0, 1). */
  random: () => number
  work: Work
  check: Check
  /** Whether to leave out everything that the schema does not require. */
  least: boolean
  /** The number of items of the outermost lists. Undefined: a few. */
  items: number | undefined
}

/** The schemas that apply to one value, with one branch chosen of each `anyOf` and the like. */
interface ShapeUnion {
  shapes: readonly Shape[]
  types: number
}

/** Draws values for schemas. For keywords such as `not` and `oneOf`, it tries values until one matches. */
export class Draw {
  readonly #options: Options
  readonly #around = new Map<Shape, number>()
  #values = 0
  #characters = 0
  /** How many lists are around the value that is drawn. */
  #lists = 0

  constructor(options: Options) {
    this.#options = options
  }

  /**
   * Draws a value that matches all of the schemas.
   *
   * @throws {Unmet} When it finds no value.
   */
  value(shapes: readonly Shape[], least = this.#options.least): unknown {
    return this.#options.work.deeper(() => this.#tried(shapes, least), LEVELS)
  }

  #tried(shapes: readonly Shape[], least: boolean): unknown {
    let unmet: Unmet | undefined
    const [values, characters] = [this.#values, this.#characters]
    for (let attempt = 0; attempt < TRIES; attempt++) {
      this.#values = values
      this.#characters = characters
      try {
        const combined = this.#combine(shapes, least && attempt === 0)
        const value = this.#drawn(combined, least)
        const failed = this.#failing(value, shapes)
        if (!failed) return value
        unmet = new Unmet(failed)
      } catch (error) {
        if (!(error instanceof Unmet)) throw error
        unmet = error
      }
      if (!shapes.some((shape) => isUncertain(shape))) break
    }
    throw unmet!
  }

  #failing(value: unknown, shapes: readonly Shape[]): Shape | undefined {
    for (const shape of shapes) {
      const failed = this.#options.check.failing(value, shape)
      if (failed) return failed
    }
    return undefined
  }

  #combine(given: readonly Shape[], least: boolean): ShapeUnion {
    const { work } = this.#options
    const shapes = new Set<Shape>()
    const open: Shape[] = []
    const waiting = [...given]
    let types = kinds.ANY
    for (;;) {
      for (let shape = waiting.pop(); shape; shape = waiting.pop()) {
        if (shapes.has(shape)) continue
        work.step()
        shapes.add(shape)
        types &= shape.possible
        if (types === 0) throw new Unmet(shape)
        if (shape.ref) waiting.push(shape.ref)
        waiting.push(...shape.allOf)
        if (shape.anyOf ?? shape.oneOf ?? shape.if) open.push(shape)
      }
      const next = open.shift()
      if (!next) return { shapes: [...shapes], types }
      if (next.anyOf) waiting.push(this.#branch(next.anyOf, { types, least, of: next }))
      if (next.oneOf) waiting.push(this.#branch(next.oneOf, { types, least, of: next }))
      if (next.if) waiting.push(...this.#condition(next, next.if, types))
    }
  }

  #branch(
    branches: readonly Shape[],
    { types, least, of }: { types: number; least: boolean; of: Shape },
  ): Shape {
    const possible = branches.filter((branch) => branch.possible & types)
    if (possible.length === 0) throw new Unmet(of)
    if (!least) return this.#pick(possible)
    return possible.reduce((best, each) => (each.rank < best.rank ? each : best))
  }

  #condition({ ifSo, ifNot }: Shape, condition: Shape, types: number): Shape[] {
    const holds = condition.possible & types & (ifSo?.possible ?? kinds.ANY)
    const failsToo = types & (ifNot?.possible ?? kinds.ANY)
    if (holds && (!failsToo || this.#random() < 0.5)) return ifSo ? [condition, ifSo] : [condition]
    return ifNot ? [ifNot] : []
  }

  #drawn({ shapes, types }: ShapeUnion, least: boolean): unknown {
    this.#count(shapes)
    const lists = shapes.flatMap((shape) => shape.lists)
    if (lists.length > 0) return this.#listed(lists, types, shapes)
    const isRepeated = shapes.some((shape) => (this.#around.get(shape) ?? 0) >= REPETITIONS)
    const ends = least || isRepeated || this.#values > MANY_VALUES
    const kind = this.#kind(shapes, types, ends)
    switch (kind) {
      case kinds.NULL:
        return null
      case kinds.BOOLEAN:
        return this.#random() < 0.5
      case kinds.STRING:
        return this.#text(shapes)
      case kinds.ARRAY:
        return this.#inside(shapes, () => this.#list(shapes, ends))
      case kinds.OBJECT:
        return this.#inside(shapes, () => this.#object(shapes, ends))
      default:
        return drawNumber(shapes, kind, this.#tools(shapes))
    }
  }

  #count(shapes: readonly Shape[]): void {
    if (++this.#values <= MOST_VALUES) return
    throw new Unmet(shapes[0], TOO_MANY)
  }

  #inside<T>(shapes: readonly Shape[], draw: () => T): T {
    for (const shape of shapes) this.#around.set(shape, (this.#around.get(shape) ?? 0) + 1)
    try {
      return draw()
    } finally {
      for (const shape of shapes) this.#around.set(shape, this.#around.get(shape)! - 1)
    }
  }

  #listed(lists: readonly EnumValues[], types: number, shapes: readonly Shape[]): unknown {
    const shortest = lists.reduce((best, each) =>
      each.values.length < best.values.length ? each : best,
    )
    const { values } = shortest
    const from = Math.floor(this.#random() * values.length)
    for (let index = 0; index < values.length; index++) {
      const value = values[(from + index) % values.length]
      this.#options.work.step()
      if (types & kindOf(value) && !this.#failing(value, shapes)) return value
    }
    throw new Unmet(shapes.find((shape) => shape.lists.includes(shortest)))
  }

  #kind(shapes: readonly Shape[], types: number, ends: boolean): number {
    const hinted = shapes.reduce((all, shape) => all | hintOf(shape), 0) & types
    const usual = types & (kinds.STRING | kinds.INTEGER | kinds.BOOLEAN)
    const isOpen = (types & SIMPLE) === SIMPLE
    const sensible = isOpen ? hinted || usual : types
    const found = KINDS.filter((kind) => sensible & kind)
    // People who write schemas think of whole numbers and other numbers as one kind.
    const choices = found.filter((kind) => kind !== kinds.FRACTION || !(sensible & kinds.INTEGER))
    const chosen = ends ? choices[0]! : this.#pick(choices)
    return chosen === kinds.INTEGER && sensible & kinds.FRACTION ? kinds.FRACTION : chosen
  }

  #text(shapes: readonly Shape[]): string {
    const text = drawText(shapes, { ...this.#tools(shapes), used: this.#characters })
    this.#characters += text.length
    return text
  }

  /** What draws a number or a text that satisfies the schemas themselves, without the schemas that they apply. */
  #tools(shapes: readonly Shape[]): DrawTools {
    const { random, work, check } = this.#options
    return { random, work, fits: (value) => shapes.every((shape) => check.fitsAlone(value, shape)) }
  }

  #list(shapes: readonly Shape[], ends: boolean): unknown[] {
    const contained = shapes.flatMap(({ contains, minContains }) =>
      contains
        ? Array.from({ length: Math.min(minContains, MOST_VALUES + 1) }, () => contains)
        : [],
    )
    const demanded = Math.max(...shapes.map(({ minItems }) => minItems), 0)
    const least = Math.max(demanded, contained.length)
    const most = Math.min(...shapes.map(({ maxItems }) => maxItems))
    if (this.#values + least > MOST_VALUES) {
      const long = shapes.find((s) => s.minItems === least || s.minContains >= least)
      throw new Unmet(long ?? shapes[0], TOO_MANY)
    }
    const fixed = Math.max(...shapes.map(({ prefix }) => prefix.length), 0)
    const isNamed = shapes.some(({ items, prefix }) => items ?? prefix[0])
    const more = isNamed ? Math.max(fixed, this.#usualLength()) : 0
    const wanted = ends ? least : Math.min(Math.max(least, more), most)
    const isUnique = shapes.some(({ uniqueItems }) => uniqueItems)
    const list: unknown[] = []
    const texts = new Set<string>()
    this.#lists++
    try {
      while (list.length < wanted) {
        const index = list.length
        const others = this.#itemShapes(shapes, index)
        // The items that `contains` requires come last, after the items that have a schema of their own.
        const special = contained[wanted - 1 - index]
        const item = this.#item(special ? [...others, special] : others, {
          ends,
          isNeeded: index < least,
          texts: isUnique ? texts : undefined,
        })
        if (!item) break
        list.push(item.value)
      }
    } finally {
      this.#lists--
    }
    return list
  }

  /** A list of a schema without `minItems` has three to eight items, or the number that was asked for. */
  #usualLength(): number {
    const drawn = 3 + Math.floor(this.#random() * 6)
    return this.#lists === 0 ? (this.#options.items ?? drawn) : drawn
  }

  #itemShapes(shapes: readonly Shape[], index: number): Shape[] {
    const named = shapes.flatMap(({ prefix, items }) => prefix[index] ?? items ?? [])
    if (named.length > 0) return named
    return shapes.flatMap(({ unevaluatedItems }) => unevaluatedItems ?? [])
  }

  /** Draws an item of a list. Undefined if no value was found for an item that is not needed. */
  #item(
    shapes: readonly Shape[],
    { ends, isNeeded, texts }: { ends: boolean; isNeeded: boolean; texts: Set<string> | undefined },
  ): { value: unknown } | undefined {
    for (let attempt = 0; attempt < (texts ? MOST_ITEMS : 1); attempt++) {
      const drawn = this.#optional(shapes, { ends, isNeeded })
      if (!drawn || !texts) return drawn
      const text = kinds.canonical(drawn.value)
      if (texts.has(text)) continue
      texts.add(text)
      return drawn
    }
    if (isNeeded) throw new Unmet(shapes[0], 'found too few different values for uniqueItems.')
    return undefined
  }

  #optional(
    shapes: readonly Shape[],
    { ends, isNeeded }: { ends: boolean; isNeeded: boolean },
  ): { value: unknown } | undefined {
    const [values, characters] = [this.#values, this.#characters]
    try {
      return { value: this.value(shapes, ends) }
    } catch (error) {
      if (isNeeded || !(error instanceof Unmet)) throw error
      this.#values = values
      this.#characters = characters
      return undefined
    }
  }

  #object(given: readonly Shape[], ends: boolean): Record<string, unknown> {
    const { needed, names, shapes } = this.#names(given, ends)
    const object: Record<string, unknown> = {}
    for (const name of names) {
      const isNeeded = needed.has(name)
      const applied = this.#propertyShapes(shapes, name)
      const refusing = applied.find(({ never }) => never) ?? this.#refusing(shapes, name)
      if (refusing && isNeeded) throw new Unmet(refusing)
      const drawn = refusing ? undefined : this.#optional(applied, { ends, isNeeded })
      if (drawn) setOwn(object, name, drawn.value)
    }
    return object
  }

  /** Returns the names of the properties that an object gets, and all schemas that then apply. */
  #names(given: readonly Shape[], ends: boolean): PropertyNames {
    const most = Math.min(...given.map(({ maxProperties }) => maxProperties))
    const least = Math.max(...given.map(({ minProperties }) => minProperties), 0)
    const named = this.#namedBy(given, { ends, most })
    const { names, shapes } = named
    const known = namesIn(shapes)
    const isOpen = names.size === 0 && shapes.some((s) => s.additional ?? s.patternProperties[0])
    const wanted = Math.min(Math.max(least, isOpen && !ends ? 2 : 0), most)
    if (this.#values + wanted > MOST_VALUES) {
      const many = given.find(({ minProperties }) => minProperties === least)
      throw new Unmet(many, TOO_MANY)
    }
    for (const name of known) if (names.size < wanted) names.add(name)
    for (let attempt = 0; names.size < wanted && attempt < 4 * wanted; attempt++) {
      const invented = this.#invented(shapes)
      const name = names.has(invented) ? invented + drawLetters(1, 3, this.#options) : invented
      if (this.#refusing(shapes, name)) continue
      if (!this.#propertyShapes(shapes, name).some(({ never }) => never)) names.add(name)
    }
    const inOrder = new Set([...known, ...names].filter((name) => names.has(name)))
    return { ...named, names: inOrder }
  }

  /** Returns the names that the schemas require, and, unless `ends` is true, all names that they know. */
  #namedBy(
    given: readonly Shape[],
    { ends, most }: { ends: boolean; most: number },
  ): PropertyNames {
    let shapes = given
    const needed = new Set<string>()
    const names = new Set<string>()
    for (let size = -1, count = 0; size !== names.size || count !== shapes.length;) {
      size = names.size
      count = shapes.length
      this.#options.work.step(1 + Math.ceil(size / 10))
      for (const name of shapes.flatMap(({ required }) => required)) needed.add(name)
      for (const name of needed) names.add(name)
      for (const name of ends ? [] : namesIn(shapes)) if (names.size < most) names.add(name)
      for (const [name, others] of shapes.flatMap((shape) => [...shape.dependentRequired])) {
        if (!names.has(name)) continue
        for (const other of others) (needed.has(name) ? needed : names).add(other)
      }
      const more = shapes
        .flatMap(({ dependentSchemas }) => [...dependentSchemas])
        .filter(([name, other]) => names.has(name) && !shapes.includes(other))
        .map(([, other]) => other)
      if (more.length > 0) shapes = this.#combine([...shapes, ...more], ends).shapes
    }
    return { needed, names, shapes }
  }

  #invented(shapes: readonly Shape[]): string {
    const patterns = shapes.flatMap(({ patternProperties }) => patternProperties)
    const rules = shapes.flatMap(({ propertyNames }) => propertyNames ?? [])
    if (patterns.length > 0 && this.#random() < 0.8) {
      const { pattern } = this.#pick(patterns)
      return pattern.draw(() => this.#random(), { least: 1, work: this.#options.work })
    }
    const values = this.#values
    const name =
      rules.length === 0 ? undefined : this.#optional(rules, { ends: true, isNeeded: false })
    this.#values = values
    return typeof name?.value === 'string' ? name.value : drawLetters(3, 8, this.#options)
  }

  #propertyShapes(shapes: readonly Shape[], name: string): Shape[] {
    const { work } = this.#options
    const applied = shapes.flatMap((shape) => {
      const own = shapesFor(name, shape, work)
      return own.length > 0 ? own : (shape.additional ?? [])
    })
    if (applied.length > 0) return applied
    return shapes.flatMap(({ unevaluatedProperties }) => unevaluatedProperties ?? [])
  }

  #refusing(shapes: readonly Shape[], name: string): Shape | undefined {
    return shapes
      .flatMap(({ propertyNames }) => propertyNames ?? [])
      .find((rule) => !this.#options.check.fits(name, rule))
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)]!
  }

  #random(): number {
    return this.#options.random()
  }
}

interface PropertyNames {
  needed: ReadonlySet<string>
  names: Set<string>
  shapes: readonly Shape[]
}

function namesIn(shapes: readonly Shape[]): string[] {
  return shapes.flatMap(({ properties }) => [...properties.keys()])
}

/** The kinds, beginning with the one that ends soonest. */
const KINDS = [
  kinds.NULL,
  kinds.BOOLEAN,
  kinds.INTEGER,
  kinds.FRACTION,
  kinds.STRING,
  kinds.ARRAY,
  kinds.OBJECT,
]
/** If a schema allows all of these kinds, it does not restrict the kind. */
const SIMPLE = kinds.BOOLEAN | kinds.INTEGER | kinds.STRING

/** Returns the kinds that the keywords of a schema are about, even if it allows others. */
function hintOf(shape: Shape): number {
  const { required, properties, patternProperties, additional, minProperties } = shape
  const { items, prefix, contains, minItems, minLength, maxLength, pattern, format } = shape
  let kind = 0
  const names = required.length + properties.size + patternProperties.length + minProperties
  if (names > 0 || additional) kind |= kinds.OBJECT
  if (items ?? contains ?? prefix.length + minItems > 0) kind |= kinds.ARRAY
  if (minLength > 0 || maxLength < Infinity || (pattern ?? format)) kind |= kinds.STRING
  if (shape.isBounded || shape.multipleOf) kind |= kinds.INTEGER
  return kind
}

/** Whether another attempt may succeed after one failed. */
function isUncertain(shape: Shape): boolean {
  const { ref, allOf } = shape
  const { anyOf, oneOf, not, contains, minProperties, patternProperties, types } = shape
  if (anyOf ?? oneOf ?? not ?? shape.if ?? contains ?? shape.propertyNames) return true
  if (ref || allOf.length > 0 || shape.uniqueItems || shape.maxProperties < Infinity) return true
  if (minProperties > 0 || patternProperties.length > 0 || shape.dependentSchemas.size > 0)
    return true
  return types === kinds.ANY
}
