import { escapeHtml } from '../../base/text/escape.js'

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
  return escapeHtml(String(value))
}
