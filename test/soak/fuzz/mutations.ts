import * as fc from 'fast-check'
import type { InputDraw } from './draws.js'
import { oddInCode, oddJson, scraps } from './odd-values.js'

export type Path = readonly (string | number)[]

/** How a value at a place changes. */
const hows = [
  ...(['replace', 'replace', 'replace', 'replace', 'delete', 'delete', 'add', 'add'] as const),
  ...(['rename', 'repeat', 'swap', 'move', 'enlarge', 'wrap', 'retype', 'pollute'] as const),
] as const
type How = (typeof hows)[number]

const jsonNames = Object.keys(oddJson)
const allNames = [...jsonNames, ...Object.keys(oddInCode)]

/** An odd value by its name. */
export function oddValue(name: string): unknown {
  return (oddJson[name] ?? oddInCode[name])!()
}

/** No value is deeper, before its changes. */
const LEVELS = 12

/** Numbers that choose a place, one for each level. */
const steps = fc.array(fc.nat(99_999), { minLength: LEVELS, maxLength: LEVELS, size: 'max' })

const mutations = (most: number, inCode: boolean) =>
  fc.noBias(
    fc.array(
      fc.record({
        how: fc.constantFrom(...hows),
        odd: fc.constantFrom(...(inCode ? allNames : jsonNames)),
        at: steps,
        from: steps,
      }),
      { minLength: 1, maxLength: most },
    ),
  )

/** A place in a value, deep or not: a tenth of the numbers end the way down. */
export function placeIn(value: unknown, chosen: readonly number[]): Path {
  const path: (string | number)[] = []
  let at = value
  for (const number of chosen) {
    if (typeof at !== 'object' || at === null || number % 10 === 9) break
    const keys = Object.keys(at)
    if (keys.length === 0) break
    const key = keys[Math.floor(number / 10) % keys.length]!
    path.push(Array.isArray(at) ? Number(key) : key)
    at = (at as Record<string, unknown>)[key]
  }
  return path
}

interface Mutating {
  /** The most mutations. */
  readonly most?: number
  /** Allows values that JSON cannot write. */
  readonly inCode?: boolean
  /** Chooses a place. By default, any. */
  readonly place?: (chosen: readonly number[]) => Path
}

/** A copy of a value with one to three mutations. One whose place another one removed has no effect. */
export function mutated(draw: InputDraw, value: unknown, mutating: Mutating = {}): unknown {
  const { most = 3, inCode = false, place = (chosen) => placeIn(value, chosen) } = mutating
  const root = { root: structuredClone(value) }
  // A list that is enlarged in an enlarged list has millions of items.
  let isEnlarged = false
  for (const { how: drawn, odd, ...chosen } of draw.from(mutations, most, inCode)) {
    const how: How = drawn === 'enlarge' && isEnlarged ? 'replace' : drawn
    isEnlarged ||= how === 'enlarge'
    const [at, from] = [place(chosen.at), place(chosen.from)]
    draw.tell({ how, at, by: how === 'move' ? from : odd })
    const path = ['root', ...at]
    const parent = partAt(root, path.slice(0, -1))
    if (typeof parent !== 'object' || parent === null) continue
    // The characters of a text object cannot change.
    if (typeof parent.valueOf === 'function' && typeof parent.valueOf() === 'string') continue
    const other = how === 'move' ? copyOf(partAt(root, ['root', ...from])) : oddValue(odd)
    change(parent as Record<string | number, unknown>, path.at(-1)!, { how, other })
  }
  return root.root
}

function copyOf(value: unknown): unknown {
  try {
    return structuredClone(value)
  } catch {
    return value
  }
}

function partAt(value: unknown, path: Path): unknown {
  let at = value
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Record<string | number, unknown>)[key]
  }
  return at
}

const HUGE = 2000

function change(
  parent: Record<string | number, unknown>,
  key: string | number,
  { how, other }: { how: How; other: unknown },
): void {
  const before = parent[key]
  const list = Array.isArray(parent) ? (parent as unknown[]) : undefined
  const index = Number(key)
  switch (how) {
    case 'replace':
    case 'move':
      return set(parent, key, other)
    case 'delete':
      if (list) list.splice(index, 1)
      else Reflect.deleteProperty(parent, key)
      return
    case 'add':
      if (Array.isArray(before)) before.push(other)
      else if (typeof before === 'object' && before !== null) set(before, 'extra', other)
      else set(parent, `${key}x`, other)
      return
    case 'rename':
      Reflect.deleteProperty(parent, key)
      return set(parent, `${key}s`, before)
    case 'repeat':
      if (list) list.splice(index, 0, copyOf(before))
      else set(parent, `${key}2`, copyOf(before))
      return
    case 'swap':
      if (list) list.push(...list.splice(0, index))
      else {
        Reflect.deleteProperty(parent, key)
        set(parent, key, before)
      }
      return
    case 'enlarge':
      return set(parent, key, enlarged(before))
    case 'wrap':
      return set(parent, key, [before])
    case 'retype':
      return set(parent, key, retyped(before))
    case 'pollute':
      return set(Object(before) as object, '__proto__', { polluted: 1 })
  }
}

/** Also sets a key `__proto__` as a key of its own. */
function set(parent: object, key: string | number, value: unknown): void {
  if (Array.isArray(parent) && typeof key === 'number') {
    parent[key] = value
    return
  }
  try {
    const all = { value, enumerable: true, writable: true, configurable: true }
    Object.defineProperty(parent, key, all)
  } catch {
    // An odd value that cannot be changed is odd enough.
  }
}

function enlarged(value: unknown): unknown {
  if (typeof value === 'string') return value.repeat(Math.ceil(HUGE / (value.length + 1)))
  if (typeof value === 'number') return value * 1e12
  if (Array.isArray(value)) {
    return Array.from({ length: HUGE }, (_, index) => value[index % (value.length + 1)] as unknown)
  }
  return { ...(value as object | null), ...(oddValue('many keys') as object) }
}

function retyped(value: unknown): unknown {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return Number(value) || 0
  if (typeof value === 'boolean') return String(value)
  return Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : Object.values(Object(value) as object)
}

/** The JSON of a value. Empty if it has none. */
export function jsonOf(value: unknown): string {
  return typeof value === 'function' || value === undefined ? '' : JSON.stringify(value)
}

const edits = (most: number) =>
  fc.noBias(
    fc.array(
      fc.record({
        /** A part of the length. */
        at: fc.nat(9999).map((each) => each / 10_000),
        /** How many characters are removed there. */
        removed: fc.oneof(
          { weight: 72, arbitrary: fc.nat(3) },
          { weight: 18, arbitrary: fc.nat(199) },
          { weight: 10, arbitrary: fc.constant(1e9) },
        ),
        added: fc.oneof(
          { weight: 4, arbitrary: fc.constant('') },
          { weight: 6, arbitrary: fc.constantFrom(...scraps) },
        ),
      }),
      { minLength: 1, maxLength: most },
    ),
  )

/** A text with a few edits. */
export function edited(draw: InputDraw, text: string, most = 3): string {
  return draw.tell(draw.from(edits, most)).reduce((before, { at, removed, added }) => {
    const place = Math.floor(before.length * at)
    return before.slice(0, place) + added + before.slice(place + removed)
  }, text)
}
