import type { SchemaProblem, Read } from './read.js'
import { ANY, ARRAY, FRACTION, INTEGER, kindOf, OBJECT, STRING, type Shape } from './shape.js'
import { DEEPEST } from './work.js'

/**
 * Finds the kinds of finite values that each schema allows. Returns a problem if the root allows none. The time is
 * proportional to the size of the schemas.
 */
export function findProblem(read: Read): SchemaProblem | undefined {
  const { root, shapes } = read
  const looped = findLoop(shapes)
  if (looped) return looped
  findPossible(shapes)
  return root.possible === 0 ? whyImpossible(root) : undefined
}

/** Finds references that lead back to the same schema, without a property or an item in between. */
function findLoop(shapes: readonly Shape[]): SchemaProblem | undefined {
  const depths = new Map<Shape, number>()
  for (const start of shapes) {
    if (depths.has(start)) continue
    const way = [{ shape: start, next: 0, inPlace: start.inPlace, depth: 1 }]
    const onWay = new Map([[start, 0]])
    for (let last = way.at(-1); last; last = way.at(-1)) {
      const target = last.inPlace[last.next++]
      if (!target) {
        way.pop()
        onWay.delete(last.shape)
        depths.set(last.shape, last.depth)
        const before = way.at(-1)
        if (before) before.depth = Math.max(before.depth, last.depth + 1)
        if (last.depth <= DEEPEST) continue
        const message = `the schema applies more than ${DEEPEST} schemas to one value, one inside the other.`
        return { path: last.shape.path, message }
      }
      const from = onWay.get(target)
      if (from !== undefined) {
        const turn = way.slice(from).findLast(({ shape, inPlace, next }) => {
          return shape.ref !== undefined && inPlace[next - 1] === shape.ref
        })!.shape
        return { path: turn.path, message: loops(turn.reference) }
      }
      const known = depths.get(target)
      if (known !== undefined) last.depth = Math.max(last.depth, known + 1)
      else {
        onWay.set(target, way.length)
        way.push({ shape: target, next: 0, inPlace: target.inPlace, depth: 1 })
      }
    }
  }
  return undefined
}

function loops(reference: string): string {
  return (
    `the reference ${JSON.stringify(reference)} leads back to the same value, so the schema never ends. ` +
    'A schema may refer to itself only from inside a property or an item.'
  )
}

/** Sets `possible` and `rank` of all schemas. Begins with the schemas that need no other schema. */
function findPossible(shapes: readonly Shape[]): void {
  const dependents = new Map<Shape, Shape[]>()
  for (const shape of shapes) {
    for (const other of [...shape.inPlace, ...shape.inside]) {
      const known = dependents.get(other)
      if (known) known.push(shape)
      else dependents.set(other, [shape])
    }
  }
  const waiting = new Set(shapes.toReversed())
  let rank = 0
  for (const shape of waiting) {
    waiting.delete(shape)
    const possible = kindsOf(shape)
    if (possible === shape.possible) continue
    if (shape.possible === 0) shape.rank = rank++
    shape.possible = possible
    for (const other of dependents.get(shape) ?? []) waiting.add(other)
  }
}

/** Returns the kinds that are possible so far. In the end no kind is missing, and rarely one is too many. */
function kindsOf(shape: Shape): number {
  if (shape.never || isAnything(shape.not)) return 0
  let kinds = shape.types
  if (shape.ref) kinds &= shape.ref.possible
  for (const each of shape.allOf) kinds &= each.possible
  for (const branches of [shape.anyOf, shape.oneOf]) {
    if (branches) kinds &= branches.reduce((all, { possible }) => all | possible, 0)
  }
  for (const { values } of shape.lists) {
    kinds &= values.reduce<number>((all, value) => all | kindOf(value), 0)
  }
  if (shape.minimum > shape.maximum) kinds &= ~(INTEGER | FRACTION)
  if (shape.minLength > shape.maxLength) kinds &= ~STRING
  if (missingItem(shape) || shape.minItems > shape.maxItems) kinds &= ~ARRAY
  if (missingProperty(shape) || shape.minProperties > shape.maxProperties) kinds &= ~OBJECT
  return kinds
}

function isAnything(shape: Shape | undefined): boolean {
  if (!shape || shape.never || shape.types !== ANY) return false
  const { inPlace, inside, lists, required, pattern, multipleOf } = shape
  if (inPlace.length + inside.length + lists.length + required.length > 0) return false
  const most = [shape.maxLength, shape.maxItems, shape.maxProperties]
  return (
    !pattern &&
    multipleOf === undefined &&
    !shape.uniqueItems &&
    shape.dependentRequired.size === 0 &&
    !shape.isBounded &&
    most.every((bound) => bound === Infinity) &&
    shape.minLength + shape.minItems + shape.minProperties === 0
  )
}

function missingProperty({ required, properties, patternProperties, additional }: Shape) {
  for (const name of required) {
    const own = properties.get(name)
    const found = own ?? (patternProperties.length === 0 ? additional : undefined)
    if (found?.possible === 0) return found
  }
  return undefined
}

function missingItem({ minItems, prefix, items, contains, minContains }: Shape) {
  if (contains?.possible === 0 && minContains > 0) return contains
  const first = prefix.slice(0, minItems).find(({ possible }) => possible === 0)
  return first ?? (minItems > prefix.length && items?.possible === 0 ? items : undefined)
}

/** Follows schemas without a possible value to a cycle, or to a schema that is impossible by itself. */
function whyImpossible(root: Shape): SchemaProblem {
  const seen = new Set<Shape>()
  let referring = root
  for (let at = root; ;) {
    if (seen.has(at)) {
      const message =
        `the reference ${JSON.stringify(referring.reference)} makes every value contain another such value, ` +
        'without an end. Make a property on the way optional, allow null, or allow an empty list.'
      return { path: referring.path, message }
    }
    seen.add(at)
    const next = blockerOf(at)
    if (!next) return { path: at.path, message: 'no value can satisfy this schema.' }
    if (next === at.ref) referring = at
    at = next
  }
}

function blockerOf(shape: Shape): Shape | undefined {
  if (shape.never || isAnything(shape.not)) return undefined
  const needed = [shape.ref, ...shape.allOf].find((each) => each?.possible === 0)
  if (needed) return needed
  for (const branches of [shape.anyOf, shape.oneOf]) {
    if (branches?.every(({ possible }) => possible === 0)) return branches[0]
  }
  return (
    (shape.types & OBJECT ? missingProperty(shape) : undefined) ??
    (shape.types & ARRAY ? missingItem(shape) : undefined)
  )
}
