/** Replaces a secret in texts. */
export const HIDDEN = '[not shown]'

/** Removes secrets from texts, including those from before a rotation. */
export class SecretRedactor {
  readonly #values = new Set<string>()

  add(values: Iterable<string>): void {
    for (const value of values) if (value !== '') this.#values.add(value)
  }

  /** Replaces all secrets in a text, also those that are escaped as in JSON. */
  redact(text: string): string {
    let shown = text
    // The longest first, as one may be a part of another.
    for (const value of [...this.#values].sort((one, other) => other.length - one.length)) {
      shown = shown.replaceAll(JSON.stringify(value).slice(1, -1), HIDDEN).replaceAll(value, HIDDEN)
    }
    return shown
  }
}
