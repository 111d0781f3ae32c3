/** What stands where a secret would. */
export const HIDDEN = '[not shown]'

/** Whatever has been a secret, so that it is left out of what is shown, even after a rotation. */
export class SecretRedactor {
  readonly #values = new Set<string>()

  add(values: Iterable<string>): void {
    for (const value of values) if (value !== '') this.#values.add(value)
  }

  /** The text without any of them, as they are or as JSON writes them. */
  redact(text: string): string {
    let shown = text
    // The longest first, for one may be a part of another.
    for (const value of [...this.#values].sort((one, other) => other.length - one.length)) {
      shown = shown.replaceAll(JSON.stringify(value).slice(1, -1), HIDDEN).replaceAll(value, HIDDEN)
    }
    return shown
  }
}
