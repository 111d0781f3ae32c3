import { secretFieldsIn } from '../text/redaction/named-values.js'
import type { Redactor } from '../text/redaction/redact.js'
import { SecretSearch, SHORTEST_ANYWHERE } from '../text/redaction/secret-search.js'

/** Removes secrets from the texts of one call: those of the world, and those in secret fields of its body. */
export class Redaction {
  readonly #redactor: Redactor
  #own: SecretSearch | undefined

  constructor(redactor: Redactor) {
    this.#redactor = redactor
  }

  /**
   * Returns the body of the request without secrets. The values of its secret fields are also removed from the
   * other texts of the call, but not from those of other calls: a field of this name may hold an ordinary word.
   */
  requestBody(text: string, { isCut }: { isCut: boolean }): string {
    const shown = isCut ? this.#redactor.redactStart(text) : this.#redactor.redact(text)
    if (shown === text) return text
    const own = secretFieldsIn(text).filter((value) => value.length >= SHORTEST_ANYWHERE)
    if (own.length === 0) return shown
    this.#own = new SecretSearch()
    for (const value of new Set(own)) this.#own.add(value)
    return isCut ? this.redactStart(text) : this.redact(text)
  }

  redact(text: string): string {
    return this.#redactor.redact(text, this.#own)
  }

  /** Removes secrets from a text whose end is missing: a secret may begin there. */
  redactStart(text: string): string {
    return this.#redactor.redactStart(text, this.#own)
  }
}
