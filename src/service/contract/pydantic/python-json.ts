import { keepOrder, WholeFloat } from './exact.js'
import { setOwn } from './record.js'

/** The result of Python's json module for a text. Positions count characters, not UTF-16 units. */
export type PythonJson =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly message: string; readonly position: number }
  | { readonly kind: 'too-deep' }
  | { readonly kind: 'too-long' }

// The deepest nesting of arrays and objects: the recursion limit of CPython, minus the frames that the framework
// has on the stack when it parses a body (observed in CPython 3.11).
export const DEEPEST = 964

// The most digits of an integer that Python reads: see docs/explain/contract.md#exact-values.
const MOST_DIGITS = 4300

/**
 * Parses like Python's json.loads (CPython 3.11), without loss. An integer beyond 2^53 is a bigint, a float with a
 * whole value is a `WholeFloat`, and `keysOf` knows the order of keys. It is slower than JSON.parse, so use it only
 * if an exact value matters, or if JSON.parse refuses the text. Python accepts some of these texts (NaN, Infinity).
 * For the others, we need its message and its position.
 */
export function parsePythonJson(text: string): PythonJson {
  try {
    return { kind: 'value', value: new Scanner(text).document() }
  } catch (error) {
    if (error instanceof TooDeep) return { kind: 'too-deep' }
    if (error instanceof TooLong) return { kind: 'too-long' }
    if (!(error instanceof MalformedJson)) throw error
    return { kind: 'error', message: error.message, position: charactersBefore(error.at, text) }
  }
}

function charactersBefore(end: number, text: string): number {
  let count = 0
  for (let at = 0; at < end; at += text.codePointAt(at)! > 0xffff ? 2 : 1) count++
  return count
}

/**
 * Whether a text may have an integer that is too long for Python. It looks at few characters: a run of more than
 * 4,300 digits covers a position that is a multiple of 4,301. The digits may be in a string or in a fraction.
 */
export function mayHaveLongInteger(text: string): boolean {
  const run = MOST_DIGITS + 1
  for (let at = run - 1; at < text.length; at += run) {
    if (!isDigit(text, at)) continue
    let start = at
    while (isDigit(text, start - 1)) start--
    let end = at + 1
    while (isDigit(text, end)) end++
    if (end - start >= run) return true
  }
  return false
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0x30 && code <= 0x39
}

class TooDeep extends Error {}

class TooLong extends Error {}

class MalformedJson extends Error {
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

const CONSTANTS: Readonly<Record<string, readonly [string, unknown]>> = {
  n: ['null', null],
  t: ['true', true],
  f: ['false', false],
  N: ['NaN', NaN],
  I: ['Infinity', Infinity],
}
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const FLOAT = /[.eE]/
const SPACE = /[ \t\n\r]*/y
const HEX4 = /[0-9a-fA-F]{4}/y
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  document(): unknown {
    this.#skipSpace()
    const value = this.#value(0)
    this.#skipSpace()
    if (this.#at < this.#text.length) throw new MalformedJson('Extra data', this.#at)
    return value
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #skipSpace(): void {
    // Most texts have no space between tokens.
    if (this.#text.charCodeAt(this.#at) <= 0x20) this.#match(SPACE)
  }

  #peek(): string | undefined {
    return this.#text[this.#at]
  }

  #value(depth: number): unknown {
    const next = this.#peek()
    if (next === '"') return this.#string()
    if (next === '{') return this.#object(depth)
    if (next === '[') return this.#array(depth)
    const constant = CONSTANTS[next ?? '']
    if (constant && this.#skip(constant[0])) return constant[1]
    const digits = this.#match(NUMBER)
    if (digits !== undefined) return numberOf(digits)
    if (this.#skip('-Infinity')) return -Infinity
    throw new MalformedJson('Expecting value', this.#at)
  }

  #skip(word: string): boolean {
    const found = this.#text.startsWith(word, this.#at)
    if (found) this.#at += word.length
    return found
  }

  #object(depth: number): object {
    if (depth >= DEEPEST) throw new TooDeep()
    const keys: string[] = []
    const record: Record<string, unknown> = {}
    this.#at++
    this.#skipSpace()
    if (this.#peek() !== '}') {
      for (;;) {
        if (this.#peek() !== '"')
          throw new MalformedJson('Expecting property name enclosed in double quotes', this.#at)
        const key = this.#string()
        this.#skipSpace()
        if (this.#peek() !== ':') throw new MalformedJson("Expecting ':' delimiter", this.#at)
        this.#at++
        this.#skipSpace()
        keys.push(key)
        setOwn(record, key, this.#value(depth + 1))
        if (!this.#another('}')) break
      }
    }
    this.#at++
    keepOrder(record, keys)
    return record
  }

  #array(depth: number): unknown[] {
    if (depth >= DEEPEST) throw new TooDeep()
    const items: unknown[] = []
    this.#at++
    this.#skipSpace()
    if (this.#peek() !== ']') {
      for (;;) {
        items.push(this.#value(depth + 1))
        if (!this.#another(']')) break
      }
    }
    this.#at++
    return items
  }

  /** Moves past the comma after an item. Returns false, and does not move, if a closing bracket follows. */
  #another(closing: string): boolean {
    this.#skipSpace()
    if (this.#peek() === closing) return false
    if (this.#peek() !== ',') throw new MalformedJson("Expecting ',' delimiter", this.#at)
    this.#at++
    this.#skipSpace()
    return true
  }

  #string(): string {
    const start = this.#at++
    let value = ''
    for (;;) {
      value += this.#plain()
      const next = this.#peek()
      if (next === undefined) throw new MalformedJson('Unterminated string starting at', start)
      if (next === '"') {
        this.#at++
        return value
      }
      if (next !== '\\') throw new MalformedJson('Invalid control character at', this.#at)
      value += this.#escape(start)
    }
  }

  /** Everything up to a quote, a backslash or a control character. */
  #plain(): string {
    const text = this.#text
    let end = this.#at
    for (let code = text.charCodeAt(end); ; code = text.charCodeAt(++end))
      if (code === 0x22 || code === 0x5c || !(code >= 0x20)) break
    const plain = text.slice(this.#at, end)
    this.#at = end
    return plain
  }

  #escape(start: number): string {
    const backslash = this.#at++
    const letter = this.#peek()
    if (letter === undefined) throw new MalformedJson('Unterminated string starting at', start)
    this.#at++
    if (letter !== 'u') {
      const character = ESCAPES[letter]
      if (character === undefined) throw new MalformedJson('Invalid \\escape', backslash)
      return character
    }
    // CPython first checks that five more characters follow. The position that it reports depends on this.
    const digits = this.#at + 4 < this.#text.length ? this.#match(HEX4) : undefined
    if (digits === undefined) throw new MalformedJson('Invalid \\uXXXX escape', backslash + 1)
    // Two adjacent halves form a pair, and a single half stays, as in Python.
    return String.fromCharCode(Number.parseInt(digits, 16))
  }
}

function numberOf(text: string): unknown {
  const value = Number(text)
  // Adding zero turns -0, which is an integer here, into 0.
  if (FLOAT.test(text)) return Number.isInteger(value) ? new WholeFloat(value) : value
  if (text.length > MOST_DIGITS && text.replace('-', '').length > MOST_DIGITS) throw new TooLong()
  return Number.isSafeInteger(value) ? value + 0 : BigInt(text)
}
