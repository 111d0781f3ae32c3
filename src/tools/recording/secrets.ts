import { Redactor } from '../../base/text/redaction/redact.js'
import { secretsInHeader, secretsInQuery } from '../../base/text/redaction/credentials.js'
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
export class Secrets extends Redactor {
  /** @param known Secrets that no call has to show first. */
  constructor(known: Iterable<string> = []) {
    super({ shapes: SHAPES, secrets: known })
  }

  /** Remembers the credentials in a header. */
  addHeader(name: string, value: string): void {
    for (const secret of secretsInHeader(name, value)) this.remember(secret)
  }

  /** Remembers the secrets in a query. */
  addQuery(query: string): void {
    for (const secret of secretsInQuery(query)) this.remember(secret)
  }
}
