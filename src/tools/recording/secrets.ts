import { Redactor } from '../../base/text/redaction/redact.js'
import {
  secretsInHeader,
  secretsInQuery,
  secretsInUrl,
} from '../../base/text/redaction/secret-names.js'
import { KEY_SHAPES } from '../../base/text/vendor/keys.js'

/** What looks like a secret wherever it stands. The first group, if any, stays. */
const SHAPES: readonly RegExp[] = [
  // Schemes of an authorization.
  /\b((?:Bearer|Basic)\s+)[\w.~+/=-]{8,}/gi,
  ...KEY_SHAPES,
  // Tokens in JWT format.
  /(?<![\w-])eyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
]

/** Removes secrets from the texts of a recording: those that requests sent as credentials, and what looks like one. */
export class Secrets {
  readonly #redactor: Redactor

  /** @param known Secrets that no call has to show first. */
  constructor(known: Iterable<string> = []) {
    this.#redactor = new Redactor({ shapes: SHAPES, secrets: known })
  }

  /** Remembers the credentials in a header. */
  addHeader(name: string, value: string): void {
    for (const secret of secretsInHeader(name, value)) this.#redactor.remember(secret)
    if (!value.includes('://')) return
    for (const secret of secretsInUrl(value)) this.#redactor.remember(secret)
  }

  /** Remembers the secrets in a query. */
  addQuery(query: string): void {
    for (const secret of secretsInQuery(query)) this.#redactor.remember(secret)
  }

  /** Returns the text without secrets. */
  redact(text: string): string {
    return this.#redactor.redact(text)
  }

  /** Does the same for a text whose end is missing: a secret may begin there. */
  redactStart(text: string): string {
    return this.#redactor.redactStart(text)
  }

  /** Returns a query without secrets. */
  redactQuery(query: string): string {
    return this.#redactor.redactQuery(query)
  }
}
