/** The text that replaces a secret. */
export const HIDDEN = '[not shown]'

/** Removes secrets from texts, including secrets that a rotation replaced. */
export class SecretRedactor {
  readonly #values = new Set<string>()

  add(values: Iterable<string>): void {
    for (const value of values) if (value !== '') this.#values.add(value)
  }

  /** Replaces all secrets in a text, also those that are escaped as in JSON. */
  redact(text: string): string {
    let redacted = text
    // The longest first, because a secret may be a part of another one.
    for (const value of [...this.#values].sort((one, other) => other.length - one.length)) {
      redacted = redacted
        .replaceAll(JSON.stringify(value).slice(1, -1), HIDDEN)
        .replaceAll(value, HIDDEN)
    }
    return redacted
  }
}
