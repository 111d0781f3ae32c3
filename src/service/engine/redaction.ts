import { secretFieldsIn } from '../../base/text/redaction/named-values.js'
import { LEFT_OUT, type Redactor } from '../../base/text/redaction/redact.js'
import { SecretSearch, SHORTEST_ANYWHERE } from '../../base/text/redaction/secret-search.js'

/** Removes secrets from the texts of one call: those of the world, and those in secret fields of its body. */
export class Redaction {
  readonly #redactor: Redactor
  readonly #bodyText: () => string | undefined
  #hasOwn = false
  #own: SecretSearch | undefined

  /** @param bodyText Returns the body as `requestBody` got it. Undefined if it is forgotten. */
  constructor(redactor: Redactor, bodyText: () => string | undefined) {
    this.#redactor = redactor
    this.#bodyText = bodyText
  }

  /**
   * Returns the body of the request without secrets. The values of its secret fields are also removed from the
   * other texts of the call, but not from those of other calls: a field of this name may hold an ordinary word.
   */
  requestBody(text: string, { isCut }: { isCut: boolean }): string {
    const shown = isCut ? this.#redactor.redactStart(text) : this.#redactor.redact(text)
    if (shown === text) return text
    this.#own = searchFor(text)
    this.#hasOwn = this.#own !== undefined
    if (!this.#hasOwn) return shown
    return isCut ? this.redactStart(text) : this.redact(text)
  }

  redact(text: string): string {
    return this.#isLost ? LEFT_OUT : this.#redactor.redact(text, this.#own)
  }

  /** Removes secrets from a text whose end is missing: a secret may begin there. */
  redactStart(text: string): string {
    return this.#isLost ? LEFT_OUT : this.#redactor.redactStart(text, this.#own)
  }

  /** Frees memory. What comes later is searched for the secrets of the body again. */
  pause(): void {
    this.#own = undefined
  }

  /** Whether nobody knows the secrets of the body any more. */
  get #isLost(): boolean {
    if (!this.#hasOwn || this.#own) return false
    const text = this.#bodyText()
    this.#own = text === undefined ? undefined : searchFor(text)
    return this.#own === undefined
  }
}

/** A search for the secrets in a body. Undefined if it has none. */
function searchFor(text: string): SecretSearch | undefined {
  const own = secretFieldsIn(text).filter((value) => value.length >= SHORTEST_ANYWHERE)
  if (own.length === 0) return undefined
  const search = new SecretSearch()
  for (const value of new Set(own)) search.add(value)
  return search
}
