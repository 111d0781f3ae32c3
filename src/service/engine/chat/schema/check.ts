import { isRecord } from '../../../contract/pydantic/record.js'
import { canonical, kindOf, type Shape } from './shape.js'
import type { Work } from './work.js'

/** The result of a check of a value against a schema. */
interface Verdict {
  /** The schema that the value does not match. Undefined if it matches all. */
  failed: Shape | undefined
  /** The property names and indexes that the schema, or a schema that it applies, has evaluated. */
  evaluated: ReadonlySet<string | number>
}

const NOTHING: ReadonlySet<string | number> = new Set()

/** The results for one value, so that a schema with many references is applied once. */
type Verdicts = Map<Shape, Verdict>

/** Checks values against schemas, as JSON Schema 2020-12 defines. */
export class Check {
  readonly #work: Work
  readonly #tracks: boolean

  /** @param tracks - Whether any schema has `unevaluatedProperties` or `unevaluatedItems`. */
  constructor(work: Work, tracks: boolean) {
    this.#work = work
    this.#tracks = tracks
  }

  /** Returns the schema that the value does not satisfy. Undefined if it satisfies all. */
  failing(value: unknown, shape: Shape): Shape | undefined {
    return this.#verdict(value, shape, new Map()).failed
  }

  fits(value: unknown, shape: Shape): boolean {
    return this.failing(value, shape) === undefined
  }

  /** Whether the value satisfies the schema itself, without the schemas that it applies. */
  fitsAlone(value: unknown, shape: Shape): boolean {
    return this.#failingAlone(value, shape) === undefined
  }

  #verdict(value: unknown, shape: Shape, known: Verdicts): Verdict {
    const before = known.get(shape)
    if (before) return before
    const verdict = this.#work.deeper(() => this.#judge(value, shape, known))
    known.set(shape, verdict)
    return verdict
  }

  #judge(value: unknown, shape: Shape, known: Verdicts): Verdict {
    const evaluated = new Set<string | number>()
    const failed =
      this.#failingAlone(value, shape) ??
      this.#failingInPlace(value, shape, { known, evaluated }) ??
      this.#failingItems(value, shape, evaluated) ??
      this.#failingProperties(value, shape, evaluated)
    return { failed, evaluated: failed || !this.#tracks ? NOTHING : evaluated }
  }

  /** Checks the keywords that apply no other schema. */
  #failingAlone(value: unknown, shape: Shape): Shape | undefined {
    const kind = kindOf(value)
    if (shape.never || !(shape.types & kind)) return shape
    if (shape.lists.length > 0) {
      const text = canonical(value)
      this.#work.step(Math.ceil(text.length / 100))
      if (!shape.lists.every(({ texts }) => texts.has(text))) return shape
    }
    if (typeof value === 'number') return fitsNumber(value, shape) ? undefined : shape
    if (typeof value === 'string') return this.#fitsText(value, shape) ? undefined : shape
    if (Array.isArray(value)) return this.#fitsList(value, shape) ? undefined : shape
    if (!isRecord(value)) return undefined
    const count = Object.keys(value).length
    if (count < shape.minProperties || count > shape.maxProperties) return shape
    const isMissing = (name: string): boolean => !Object.hasOwn(value, name)
    this.#work.step(Math.ceil((count + shape.required.length) / 10))
    if (shape.required.some(isMissing)) return shape
    for (const [name, needed] of shape.dependentRequired) {
      if (Object.hasOwn(value, name) && needed.some(isMissing)) return shape
    }
    return undefined
  }

  #fitsText(value: string, { minLength, maxLength, pattern }: Shape): boolean {
    if (minLength > 0 || maxLength < Infinity) {
      this.#work.step(Math.ceil(value.length / 100))
      const length = Array.from(value).length
      if (length < minLength || length > maxLength) return false
    }
    return !pattern || pattern.fits(value, this.#work)
  }

  #fitsList(value: readonly unknown[], { minItems, maxItems, uniqueItems }: Shape): boolean {
    if (value.length < minItems || value.length > maxItems) return false
    if (!uniqueItems) return true
    const texts = new Set(value.map(canonical))
    this.#work.step(value.length)
    return texts.size === value.length
  }

  #failingInPlace(value: unknown, shape: Shape, { known, evaluated }: Judging): Shape | undefined {
    const failing = (other: Shape): Shape | undefined => {
      const verdict = this.#verdict(value, other, known)
      if (verdict.failed) return verdict.failed
      for (const each of verdict.evaluated) evaluated.add(each)
      return undefined
    }
    const fits = (other: Shape): boolean => failing(other) === undefined
    for (const other of shape.ref ? [shape.ref, ...shape.allOf] : shape.allOf) {
      const failed = failing(other)
      if (failed) return failed
    }
    if (shape.anyOf?.filter(fits).length === 0) return shape
    if (shape.oneOf && shape.oneOf.filter(fits).length !== 1) return shape
    if (shape.not && !this.#verdict(value, shape.not, known).failed) return shape
    if (shape.if) {
      const branch = fits(shape.if) ? shape.ifSo : shape.ifNot
      const failed = branch && failing(branch)
      if (failed) return failed
    }
    for (const [name, other] of shape.dependentSchemas) {
      const failed = isRecord(value) && Object.hasOwn(value, name) ? failing(other) : undefined
      if (failed) return failed
    }
    return undefined
  }

  #failingItems(value: unknown, shape: Shape, evaluated: Set<string | number>): Shape | undefined {
    if (!Array.isArray(value)) return undefined
    const { prefix, items, contains, unevaluatedItems } = shape
    for (const [index, item] of value.entries()) {
      const other = prefix[index] ?? items
      if (!other) break
      const failed = this.failing(item, other)
      if (failed) return failed
      evaluated.add(index)
    }
    if (contains) {
      const found = [...value.keys()].filter((index) => this.fits(value[index], contains))
      if (found.length < shape.minContains || found.length > shape.maxContains) return shape
      for (const index of found) evaluated.add(index)
    }
    if (!unevaluatedItems) return undefined
    for (const [index, item] of value.entries()) {
      const failed = evaluated.has(index) ? undefined : this.failing(item, unevaluatedItems)
      if (failed) return failed
      evaluated.add(index)
    }
    return undefined
  }

  #failingProperties(
    value: unknown,
    shape: Shape,
    evaluated: Set<string | number>,
  ): Shape | undefined {
    if (!isRecord(value)) return undefined
    const { additional, propertyNames, unevaluatedProperties } = shape
    for (const [name, each] of Object.entries(value)) {
      const failedName = propertyNames && this.failing(name, propertyNames)
      if (failedName) return failedName
      const named = shapesFor(name, shape, this.#work)
      const applied = named.length === 0 && additional ? [additional] : named
      for (const other of applied) {
        const failed = this.failing(each, other)
        if (failed) return failed
      }
      if (applied.length > 0) evaluated.add(name)
    }
    if (!unevaluatedProperties) return undefined
    for (const [name, each] of Object.entries(value)) {
      const failed = evaluated.has(name) ? undefined : this.failing(each, unevaluatedProperties)
      if (failed) return failed
      evaluated.add(name)
    }
    return undefined
  }
}

interface Judging {
  known: Verdicts
  evaluated: Set<string | number>
}

/** Returns the schemas for a property: by its name in `properties`, or by a pattern in `patternProperties`. */
export function shapesFor(
  name: string,
  { properties, patternProperties }: Shape,
  work: Work,
): Shape[] {
  const own = properties.get(name)
  const found = patternProperties.filter(({ pattern }) => pattern.fits(name, work))
  return [...(own ? [own] : []), ...found.map(({ shape }) => shape)]
}

function fitsNumber(value: number, shape: Shape): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = shape
  if (value < minimum || value > maximum) return false
  if (value <= exclusiveMinimum || value >= exclusiveMaximum) return false
  return multipleOf === undefined || Number.isInteger(value / multipleOf)
}
