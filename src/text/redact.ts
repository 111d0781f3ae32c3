/** The text that replaces a secret. */
export const HIDDEN = '[not shown]'

/**
 * A shorter API key, such as `a`, may be a part of any word, so it is only replaced where it stands alone. A word
 * with a hole would even show what the key is.
 */
const SHORTEST_INSIDE_OF_WORDS = 6

/** What must not be shown. */
export interface Confidential {
  /** Secrets of webhooks. They are replaced everywhere. */
  readonly secrets: Iterable<string>
  /** API keys. Those with fewer than six characters are replaced where they stand as a word. */
  readonly keys?: Iterable<string>
}

/** Replaces secrets and keys in texts, in each spelling that JSON and URLs have for them. */
export class Redactor {
  readonly #values: readonly string[]
  readonly #pattern: RegExp | undefined

  constructor({ secrets, keys = [] }: Confidential) {
    const always = new Set(secrets)
    const all = new Set([...always, ...keys])
    all.delete('')
    // The longest first, because a secret may be a part of another one.
    this.#values = [...all].sort((one, other) => other.length - one.length)
    const patterns = this.#values.map((value) => {
      const isAnywhere = always.has(value) || value.length >= SHORTEST_INSIDE_OF_WORDS
      return isAnywhere ? spellingsOf(value) : WORD_START + spellingsOf(value) + WORD_END
    })
    this.#pattern = patterns.length === 0 ? undefined : new RegExp(patterns.join('|'), 'gu')
  }

  /** Returns the text with `[not shown]` in place of each secret. */
  redact(text: string): string {
    return this.#pattern ? text.replace(this.#pattern, HIDDEN) : text
  }

  /** The same for a text whose end is missing: a secret may begin there. */
  redactStart(text: string): string {
    let left = this.redact(text)
    for (const value of this.#values) {
      for (const spelling of new Set([value, JSON.stringify(value).slice(1, -1)])) {
        left = withoutStartAtEnd(left, spelling)
      }
    }
    return left
  }
}

function withoutStartAtEnd(text: string, secret: string): string {
  for (let length = secret.length - 1; length > 0; length--) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length)
  }
  return text
}

// In JSON, a word may follow the letter of an escape: `\nkey`. In a URL, it may follow `%20`.
const WORD_START = String.raw`(?:(?<![\p{L}\p{N}])|(?<=\\[bfnrt]|\\u[\da-fA-F]{4}|%[\da-fA-F]{2}))`
const WORD_END = String.raw`(?![\p{L}\p{N}])`

const encoder = new TextEncoder()

/** A pattern that matches a text as it is, with the escapes of JSON, and with the escapes of URLs. */
function spellingsOf(text: string): string {
  return Array.from(text, (character) => {
    const units = character.split('').map((unit) => String.raw`\\u${hex(unit.charCodeAt(0), 4)}`)
    const bytes = Array.from(encoder.encode(character), (byte) => `%${hex(byte, 2)}`)
    const escaped = JSON.stringify(character).slice(1, -1)
    const spellings = [character, ...(character === '/' ? [String.raw`\/`] : []), escaped]
    return `(?:${[...new Set(spellings.map(literally)), units.join(''), bytes.join('')].join('|')})`
  }).join('')
}

/** A pattern for the hexadecimal digits of a number, in upper and lower case. */
function hex(value: number, digits: number): string {
  const text = value.toString(16).padStart(digits, '0')
  return text.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}

function literally(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`)
}

/** Removes secrets from texts, including secrets that a rotation replaced. */
export class SecretRedactor {
  readonly #values = new Set<string>()
  #redactor: Redactor | undefined

  add(values: Iterable<string>): void {
    for (const value of values) this.#values.add(value)
    this.#redactor = undefined
  }

  /** Replaces all secrets in a text, also those that are escaped as in JSON. */
  redact(text: string): string {
    return (this.#redactor ??= this.with([])).redact(text)
  }

  /** Returns a redactor that also replaces these API keys. */
  with(keys: Iterable<string>): Redactor {
    return new Redactor({ secrets: this.#values, keys })
  }
}
