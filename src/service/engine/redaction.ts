import { secretFieldsIn } from '../../base/text/redaction/named-values.js'
import { LEFT_OUT, type Redactor } from '../../base/text/redaction/redact.js'
import { SecretSearch, SHORTEST_ANYWHERE } from '../../base/text/redaction/secret-search.js'

/** Where a call brings secrets of its own. */
export interface OwnSecrets {
  /** Those that it was sent with, as credentials. The world forgets them when it keeps no such call any more. */
  readonly credentials: readonly string[]
  /** Returns the beginning of its body, or undefined if it is forgotten. Missing: there was none. */
  readonly bodyText?: (() => string | undefined) | undefined
}

/**
 * Removes secrets from the texts of one call: those of the world, and its own. Values in secret fields of its body are
 * not removed from other calls: a field of this name may hold an ordinary word. Nothing is searched before a text is
 * read, because most texts never are.
 */
export class Redaction {
  readonly redactor: Redactor
  readonly #own: OwnSecrets
  /** Undefined until somebody reads a text, or before the body is forgotten. */
  #search: SecretSearch | undefined

  constructor(redactor: Redactor, own: OwnSecrets) {
    this.redactor = redactor
    this.#own = own
  }

  /** Removes secrets from a text. If its end is missing (`isCut`), a secret may begin there. */
  redact(text: string, options?: { readonly isCut: boolean }): string {
    this.searchBody()
    const { redactor } = this
    if (!this.#search) return LEFT_OUT
    return options?.isCut
      ? redactor.redactStart(text, this.#search)
      : redactor.redact(text, this.#search)
  }

  /** Finds the secrets in the body, which may be forgotten afterwards. */
  searchBody(): void {
    if (this.#search) return
    const { credentials, bodyText } = this.#own
    const text = bodyText ? bodyText() : ''
    // Nobody knows its secrets any more.
    if (text === undefined) return
    const inBody = secretFieldsIn(text).filter((value) => value.length >= SHORTEST_ANYWHERE)
    this.#search = new SecretSearch()
    for (const secret of new Set([...credentials, ...inBody])) this.#search.add(secret)
  }
}
