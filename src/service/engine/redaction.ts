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
  /** The secrets in the body. Undefined until somebody reads a text, or before the body is forgotten. */
  #inBody: readonly string[] | undefined
  /** Finds those, and the credentials that the world has forgotten. */
  #search: SecretSearch | undefined
  #searched = 0

  constructor(redactor: Redactor, own: OwnSecrets) {
    this.redactor = redactor
    this.#own = own
  }

  /** Removes secrets from a text. If its end is missing (`isCut`), a secret may begin there. */
  redact(text: string, options?: { readonly isCut: boolean }): string {
    this.searchBody()
    const { redactor } = this
    if (!this.#inBody) return LEFT_OUT
    const own = this.#ownSearch(this.#inBody)
    return options?.isCut ? redactor.redactStart(text, own) : redactor.redact(text, own)
  }

  /** Finds the secrets in the body, which may be forgotten afterwards. */
  searchBody(): void {
    if (this.#inBody) return
    const { bodyText } = this.#own
    const text = bodyText ? bodyText() : ''
    // Nobody knows its secrets any more.
    if (text === undefined) return
    const found = secretFieldsIn(text).filter((value) => value.length >= SHORTEST_ANYWHERE)
    this.#inBody = [...new Set(found)]
  }

  #ownSearch(inBody: readonly string[]): SecretSearch | undefined {
    const forgotten = this.#own.credentials.filter((each) => !this.redactor.knows(each))
    const count = forgotten.length + inBody.length
    if (count === this.#searched) return this.#search
    this.#searched = count
    this.#search = count === 0 ? undefined : new SecretSearch()
    for (const secret of [...forgotten, ...inBody]) this.#search?.add(secret)
    return this.#search
  }
}
