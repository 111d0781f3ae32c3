import { secretFieldsIn } from '../../base/text/redaction/named-values.js'
import { LEFT_OUT, type Redactor } from '../../base/text/redaction/redact.js'
import { SecretSearch, SHORTEST_ANYWHERE } from '../../base/text/redaction/secret-search.js'

/**
 * Removes secrets from the texts of one call: those of the world, and those in secret fields of its body. Values of the
 * body are not removed from other calls: a field of this name may hold an ordinary word. Nothing is searched before a
 * text is read, because most texts never are.
 */
export class Redaction {
  readonly redactor: Redactor
  readonly #bodyText: (() => string | undefined) | undefined
  /** Whether the body has secret fields. Undefined until somebody needs to know. */
  #hasOwn: boolean | undefined
  #own: SecretSearch | undefined

  /** @param bodyText Returns the beginning of the body, or undefined if it is forgotten. Missing: there was none. */
  constructor(redactor: Redactor, bodyText?: () => string | undefined) {
    this.redactor = redactor
    this.#bodyText = bodyText
  }

  /** Removes secrets from a text. If its end is missing (`isCut`), a secret may begin there. */
  redact(text: string, options?: { readonly isCut: boolean }): string {
    if (this.#isLost) return LEFT_OUT
    const { redactor } = this
    return options?.isCut ? redactor.redactStart(text, this.#own) : redactor.redact(text, this.#own)
  }

  /** Frees memory. What comes later is searched for the secrets of the body again. */
  pause(): void {
    this.#own = undefined
  }

  /** Searches the body for secrets, because it is about to be forgotten. Returns whether it has some. */
  examine(): boolean {
    void this.#isLost
    return this.#own !== undefined
  }

  /** Whether nobody knows the secrets of the body any more. */
  get #isLost(): boolean {
    if (this.#hasOwn === false || this.#own || !this.#bodyText) return false
    const text = this.#bodyText()
    if (text === undefined) return true
    this.#own = searchFor(text)
    this.#hasOwn = this.#own !== undefined
    return false
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
