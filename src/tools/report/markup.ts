/** Text that is HTML already. `markup` makes it. */
export class Html {
  readonly #text: string

  /** @param text Trusted: it is not escaped. Use `markup` for everything else. */
  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** What a template accepts: texts are escaped, `undefined` and `false` write nothing. */
export type Content = Html | string | number | false | undefined | readonly Content[]

/**
 * Writes HTML. All values are escaped, except those that `markup` made.
 *
 * @example
 * markup`<p title="${name}">${items.map((item) => markup`<b>${item}</b>`)}</p>`
 */
export function markup(texts: TemplateStringsArray, ...values: readonly Content[]): Html {
  const parts = texts.map((text, index) => {
    return index < values.length ? text + textOf(values[index]) : text
  })
  return new Html(parts.join(''))
}

function textOf(value: Content): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return String(value)
  if (typeof value === 'object') return value.map(textOf).join('')
  return escaped(String(value))
}

/** Escapes a text for elements and for quoted attributes. Characters that hide or reorder text become visible. */
export function escaped(text: string): string {
  return visible(
    text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character as keyof typeof ENTITIES]),
  )
}

/** Writes characters that hide or reorder text as JSON does: `\u202e`. */
export function visible(text: string): string {
  return text.replaceAll(INVISIBLE, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' } as const

/** Control characters without tab and line ends, characters that reorder text, and halves of pairs. */
const INVISIBLE =
  // The pattern lists control characters on purpose.
  // oxlint-disable-next-line no-control-regex
  /[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
