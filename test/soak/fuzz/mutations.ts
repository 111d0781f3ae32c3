import type { Draw } from '../../support/draw.js'

export type Path = readonly (string | number)[]

/** One change of a value. It is JSON. */
export interface Mutation {
  readonly at: Path
  readonly how: How
  /** The name of an odd value, or a path in the same value to copy from. */
  readonly by?: string | Path
}

const hows = [
  ...(['replace', 'replace', 'replace', 'replace', 'delete', 'delete', 'add', 'add'] as const),
  ...(['rename', 'repeat', 'swap', 'move', 'enlarge', 'wrap', 'retype', 'pollute'] as const),
] as const
type How = (typeof hows)[number]

const nested = (levels: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** Values that JSON can write, by their names. */
const oddJson: Readonly<Record<string, () => unknown>> = {
  null: () => null,
  true: () => true,
  false: () => false,
  zero: () => 0,
  'minus zero': () => -0,
  'minus one': () => -1,
  three: () => 3,
  half: () => 0.5,
  billion: () => 1e9,
  'a million billion': () => 1e15,
  'beyond integers': () => 2 ** 53 + 2,
  'beyond 64 bits': () => 2 ** 64,
  enormous: () => 1e300,
  tiny: () => 5e-324,
  'no text': () => '',
  space: () => ' ',
  'the character 0': () => '\0',
  lines: () => 'a\r\nX-B: c',
  'half a pair': () => '\ud800',
  emoji: () => '👩‍👩‍👧‍👦'.repeat(20),
  'right to left': () => '\u202eabc',
  prototype: () => '__proto__',
  constructor: () => 'constructor',
  'a path': () => '../../etc/passwd',
  'a percent': () => '%00%zz',
  'a template': () => '${alias}{{user}}${',
  stars: () => `${'*a'.repeat(40)}b`,
  braces: () => '{a,b}'.repeat(30),
  exploding: () => '(a+)+$',
  'exploding twice': () => '((a{99}){99}){9}',
  'nested groups': () => '('.repeat(5000),
  'a long duration': () => '99999999999d',
  duration: () => '1h',
  'a short duration': () => '1ms',
  'not a number': () => 'NaN',
  'a number as text': () => '7',
  'a long text': () => 'x'.repeat(5000),
  'a long line of digits': () => '9'.repeat(400),
  'no URL': () => 'http://[::1',
  'another URL': () => 'javascript:alert(1)',
  'no date': () => '2026-02-30T25:61:61Z',
  'a late date': () => '9999-12-31T23:59:59.999Z',
  base64: () => 'e30=',
  'no base64': () => '*=*',
  formula: () => '1/0',
  'a deep formula': () => '('.repeat(2000),
  'an empty list': () => [],
  'an empty map': () => ({}),
  'a list in a list': () => [[]],
  'a list of null': () => [null],
  deep: () => nested(150),
  'very deep': () => nested(1500),
  'many items': () => Array.from({ length: 3000 }, () => 'a'),
  'many keys': () => Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`k${n}`, n])),
  'a prototype': () =>
    JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}'),
}

class Odd {
  readonly #hidden = 1
  get hidden(): number {
    return this.#hidden
  }
}

/** Values that only code can pass, by their names. */
const oddInCode: Readonly<Record<string, () => unknown>> = {
  'in code: undefined': () => undefined,
  'in code: NaN': () => Number.NaN,
  'in code: Infinity': () => Infinity,
  'in code: -Infinity': () => -Infinity,
  'in code: bigint': () => 2n ** 70n,
  'in code: symbol': () => Symbol('odd'),
  'in code: function': () => () => 1,
  'in code: a circle': () => {
    const circle: Record<string, unknown> = { name: 'circle' }
    circle['self'] = circle
    return circle
  },
  'in code: a circle of lists': () => {
    const circle: unknown[] = []
    circle.push(circle)
    return circle
  },
  'in code: no date': () => new Date(Number.NaN),
  'in code: date': () => new Date(0),
  'in code: map': () => new Map([['name', 'a']]),
  'in code: set': () => new Set(['a']),
  'in code: expression': () => /(a+)+$/,
  'in code: bytes': () => new Uint8Array(20),
  'in code: promise': () => Promise.resolve(1),
  'in code: holes': () => Array.from({ length: 3 }).fill(undefined),
  'in code: no prototype': () => Object.assign(Object.create(null) as object, { name: 'a' }),
  'in code: instance': () => new Odd(),
  'in code: error': () => new Error('odd'),
  'in code: a bigint inside': () => ({ name: 'a', inside: [1n] }),
  'in code: deeper than JSON': () => nested(50_000),
  'in code: text object': () => Object('text') as unknown,
}

const jsonNames = Object.keys(oddJson)
const allNames = [...jsonNames, ...Object.keys(oddInCode)]

/** An odd value by its name. */
export function oddValue(name: string): unknown {
  return (oddJson[name] ?? oddInCode[name])!()
}

/** The name of an odd value. `inCode` allows values that JSON cannot write. */
export function drawOdd(draw: Draw, { inCode = false } = {}): string {
  return draw.oneOf(inCode ? allNames : jsonNames)
}

/** A place in a value, deep or not. */
export function drawPath(draw: Draw, value: unknown): Path {
  const path: (string | number)[] = []
  let at = value
  while (typeof at === 'object' && at !== null && !draw.isHit(0.1)) {
    const keys = Object.keys(at)
    if (keys.length === 0) break
    const key = draw.oneOf(keys)
    path.push(Array.isArray(at) ? Number(key) : key)
    at = (at as Record<string, unknown>)[key]
  }
  return path
}

interface Drawing {
  /** Draws a place. By default, any. */
  readonly place?: () => Path
  readonly inCode?: boolean
  readonly most?: number
}

/** One to three mutations of a value. */
export function drawMutations(draw: Draw, value: unknown, drawing: Drawing = {}): Mutation[] {
  const { place = () => drawPath(draw, value), inCode = false, most = 3 } = drawing
  return Array.from({ length: 1 + draw.below(most) }, (): Mutation => {
    const how = draw.oneOf(hows)
    const by = how === 'move' ? place() : drawOdd(draw, { inCode })
    return { at: place(), how, by }
  })
}

/** Applies mutations to a copy. A mutation whose place another one removed has no effect. */
export function mutated(value: unknown, mutations: readonly Mutation[]): unknown {
  const root = { root: structuredClone(value) }
  for (const { at, how, by = 'null' } of mutations) {
    const path = ['root', ...at]
    const parent = partAt(root, path.slice(0, -1))
    if (typeof parent !== 'object' || parent === null) continue
    // The characters of a text object cannot change.
    if (typeof parent.valueOf === 'function' && typeof parent.valueOf() === 'string') continue
    const other = typeof by === 'string' ? oddValue(by) : copyOf(partAt(root, ['root', ...by]))
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

/** What is put into texts, which parsers of JSON and YAML may stumble over. */
const scraps: readonly string[] = [
  ...Array.from('{}[],:"\'\\\n\t \0#~='),
  '\uFEFF',
  '\r\n',
  '- ',
  '? ',
  '&a ',
  '*a',
  '*b',
  '<<: *a',
  '!!binary ',
  '!!js/function ',
  '!!set ',
  '!x ',
  '|\n',
  '>-\n',
  '---\n',
  '...\n',
  '%YAML 1.1\n',
  '%TAG ! x\n',
  '.nan',
  '.inf',
  '0x1e',
  '1e400',
  '-1e400',
  '0o7',
  '2026-01-01',
  'null',
  'NaN',
  '9007199254740993',
  '1.0000000000001',
  '['.repeat(20_000),
  '{"a":'.repeat(20_000),
  '- '.repeat(3000),
  '&a [*a, *a]',
  'name: a\n',
  'name: b\n',
  '__proto__: 1\n',
  'extends: a\n',
  '"\\ud800"',
  '${',
  '\ud800',
]

/** One change of a text. It is JSON. */
export interface Edit {
  /** A part of the length, from 0 to 1. */
  readonly at: number
  /** How many characters are removed there. */
  readonly removed: number
  readonly added: string
}

export function drawEdits(draw: Draw, most = 3): Edit[] {
  return Array.from({ length: 1 + draw.below(most) }, (): Edit => {
    const removed = draw.isHit(0.1) ? 1e9 : draw.below(draw.isHit(0.2) ? 200 : 4)
    return { at: draw.unit(), removed, added: draw.isHit(0.6) ? draw.oneOf(scraps) : '' }
  })
}

export function edited(text: string, edits: readonly Edit[]): string {
  return edits.reduce((before, { at, removed, added }) => {
    const place = Math.floor(before.length * at)
    return before.slice(0, place) + added + before.slice(place + removed)
  }, text)
}
