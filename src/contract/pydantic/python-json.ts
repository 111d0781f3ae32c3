/** The result of Python's json module for a text. Positions count characters, not UTF-16 units. */
export type PythonJson =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly message: string; readonly position: number }
  | { readonly kind: 'too-deep' }

// The deepest nesting of arrays and objects: the recursion limit of CPython, minus the frames that the framework
// has on the stack when it parses a body (observed in CPython 3.11).
export const DEEPEST = 964

/**
 * Parses like Python's json.loads (CPython 3.11). It is slower than JSON.parse, so use it only for texts that
 * JSON.parse refuses. Python accepts some of them (NaN, Infinity). For the others, we need its message and its
 * position.
 */
export function parsePythonJson(text: string): PythonJson {
  try {
    return { kind: 'value', value: new Scanner(text).document() }
  } catch (error) {
    if (error instanceof TooDeep) return { kind: 'too-deep' }
    if (!(error instanceof Malformed)) throw error
    return { kind: 'error', message: error.message, position: charactersBefore(error.at, text) }
  }
}

function charactersBefore(end: number, text: string): number {
  let count = 0
  for (let at = 0; at < end; at += text.codePointAt(at)! > 0xffff ? 2 : 1) count++
  return count
}

class TooDeep extends Error {}

class Malformed extends Error {
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

const CONSTANTS: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const SPACE = /[ \t\n\r]*/y
// Everything except quotes, backslashes and control characters.
const PLAIN = /[ !#-[\]-\uffff]*/y
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
    if (this.#at < this.#text.length) throw new Malformed('Extra data', this.#at)
    return value
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #skipSpace(): void {
    this.#match(SPACE)
  }

  #peek(): string | undefined {
    return this.#text[this.#at]
  }

  #value(depth: number): unknown {
    const next = this.#peek()
    if (next === '"') return this.#string()
    if (next === '{') return this.#object(depth)
    if (next === '[') return this.#array(depth)
    for (const [word, value] of CONSTANTS) {
      if (!this.#text.startsWith(word, this.#at)) continue
      this.#at += word.length
      return value
    }
    const digits = this.#match(NUMBER)
    if (digits === undefined) throw new Malformed('Expecting value', this.#at)
    return Number(digits)
  }

  #object(depth: number): Record<string, unknown> {
    if (depth >= DEEPEST) throw new TooDeep()
    const entries: [string, unknown][] = []
    this.#at++
    this.#skipSpace()
    if (this.#peek() !== '}') {
      for (;;) {
        if (this.#peek() !== '"')
          throw new Malformed('Expecting property name enclosed in double quotes', this.#at)
        const key = this.#string()
        this.#skipSpace()
        if (this.#peek() !== ':') throw new Malformed("Expecting ':' delimiter", this.#at)
        this.#at++
        this.#skipSpace()
        entries.push([key, this.#value(depth + 1)])
        if (!this.#another('}')) break
      }
    }
    this.#at++
    // Unlike assignment, this also works for a key `__proto__`.
    return Object.fromEntries(entries)
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
    if (this.#peek() !== ',') throw new Malformed("Expecting ',' delimiter", this.#at)
    this.#at++
    this.#skipSpace()
    return true
  }

  #string(): string {
    const start = this.#at++
    let value = ''
    for (;;) {
      value += this.#match(PLAIN)
      const next = this.#peek()
      if (next === undefined) throw new Malformed('Unterminated string starting at', start)
      if (next === '"') {
        this.#at++
        return value
      }
      if (next !== '\\') throw new Malformed('Invalid control character at', this.#at)
      value += this.#escape(start)
    }
  }

  #escape(start: number): string {
    const backslash = this.#at++
    const letter = this.#peek()
    if (letter === undefined) throw new Malformed('Unterminated string starting at', start)
    this.#at++
    if (letter !== 'u') {
      const character = ESCAPES[letter]
      if (character === undefined) throw new Malformed('Invalid \\escape', backslash)
      return character
    }
    // CPython first checks that five more characters follow. The position that it reports depends on this.
    const digits = this.#at + 4 < this.#text.length ? this.#match(HEX4) : undefined
    if (digits === undefined) throw new Malformed('Invalid \\uXXXX escape', backslash + 1)
    // Two adjacent halves form a pair, and a single half stays, as in Python.
    return String.fromCharCode(Number.parseInt(digits, 16))
  }
}
