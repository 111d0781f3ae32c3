import { HIDDEN, Redactor } from '../text/redact.js'

/** The most secrets that are remembered. The oldest one is forgotten first. */
const MOST_SECRETS = 1000

/** Names of fields, parameters and headers whose value is a secret. */
const SECRET_NAME =
  /(?:api[-_]?key|access[-_]?key|private[-_]?key|(?:^|[-_])key|secret|passw(?:or)?d|passphrase|credentials?|authorization|cookie|signature|(?:^|[-_])(?:sig|token|jwt))$/i

/** Names that end like those, but whose values are none. */
const NO_SECRET_NAME = /(?:idempotency[-_]key|(?:page|next|continuation)[-_]token)$/i

/** Whether a field, a parameter or a header of this name holds a secret. `apiKey` is `api_key`. */
export function isSecretName(name: string): boolean {
  const words = name.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
  return SECRET_NAME.test(words) && !NO_SECRET_NAME.test(words)
}

/** What looks like a secret wherever it stands. The first group, if any, stays. */
const SHAPES: readonly RegExp[] = [
  // Schemes of an authorization.
  /\b((?:Bearer|Basic)\s+)[\w.~+/=-]{8,}/gi,
  // User and password in a URL.
  /\b([a-z][a-z\d+.-]*:\/\/)[^\s/?#@"']+@/gi,
  // Keys with a prefix.
  /()\b(?:sk|pk|rk|hf|gh[opsu]|github_pat|glpat|xox[abprs]|whsec|wandb_v\d)[-_][\w+/=-]{16,}/g,
  /()\b(?:AKIA|ASIA|AIza)[\w-]{12,}/g,
  // Tokens in JWT format.
  /()\beyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*/g,
  // Keys of 40 hexadecimal digits.
  /()\b[\da-f]{40}\b/g,
  /()-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
]

const PARAMETER = /([?&])([^=&#\s"']+)=(?:\[not shown\]|[^&#\s"'])*/g

/** The texts whose results are remembered. */
const LONGEST_REPEATED = 100
const MOST_RESULTS = 1000

/**
 * A shorter one, such as the key `test`, is only hidden where it was sent. It may be a part of any text, so it would
 * be hidden in names and roles, too.
 */
const SHORTEST = 6

/** Removes secrets from texts: those that requests sent as credentials, and what looks like one. */
export class Secrets {
  readonly #known = new Set<string>()
  #redactor: Redactor | undefined
  /** Each event of a stream repeats the same names and ids. With their results, a stream costs a third. */
  readonly #results = new Map<string, string>()

  /** Remembers the credential in a header. */
  addHeader(name: string, value: string): void {
    if (name === 'cookie' || name === 'set-cookie') {
      // Several `set-cookie` headers are joined with commas.
      const cookies = name === 'cookie' ? value.split(';') : value.split(/,(?=[^;,]*=)/)
      for (const cookie of cookies) {
        const [pair = ''] = cookie.split(';', 1)
        this.#add(pair.slice(pair.indexOf('=') + 1))
      }
      return
    }
    if (!isSecretName(name)) return
    this.#add(value)
    if (!name.endsWith('authorization')) return
    const [, scheme = '', credential = ''] = /^\s*(\S+)\s+(.*)$/s.exec(value) ?? []
    this.#add(credential)
    if (scheme.toLowerCase() === 'basic') this.#addBasic(credential.trim())
  }

  /** Remembers the secrets in a query. */
  addQuery(query: string): void {
    for (const [name, value] of new URLSearchParams(query)) {
      if (isSecretName(name)) this.#add(value)
    }
  }

  #addBasic(encoded: string): void {
    const bytes = Uint8Array.from(decodedBase64(encoded), (character) => character.charCodeAt(0))
    const pair = new TextDecoder().decode(bytes)
    const colon = pair.indexOf(':')
    if (colon === -1) return
    this.#add(pair)
    const password = pair.slice(colon + 1)
    // Some services take the key as the name, without a password.
    this.#add(password === '' ? pair.slice(0, colon) : password)
  }

  #add(value: string): void {
    const secret = value.trim().replace(/^"(.*)"$/, '$1')
    if (secret.length < SHORTEST || this.#known.has(secret)) return
    this.#known.add(secret)
    if (this.#known.size > MOST_SECRETS) {
      const [oldest] = this.#known
      this.#known.delete(oldest!)
    }
    this.#redactor = undefined
    this.#results.clear()
  }

  get #current(): Redactor {
    return (this.#redactor ??= new Redactor({ secrets: [], keys: this.#known }))
  }

  /** Returns the text without secrets. */
  redact(text: string): string {
    if (text.length > LONGEST_REPEATED) return this.#redacted(text)
    const known = this.#results.get(text)
    if (known !== undefined) return known
    const shown = this.#redacted(text)
    if (this.#results.size >= MOST_RESULTS) this.#results.clear()
    this.#results.set(text, shown)
    return shown
  }

  #redacted(text: string): string {
    let shown = this.#current.redact(text)
    for (const shape of SHAPES) shown = shown.replace(shape, `$1${HIDDEN}`)
    if (!shown.includes('=')) return shown
    return shown.replaceAll(PARAMETER, (whole, mark: string, name: string) =>
      isSecretName(name) ? `${mark}${name}=${HIDDEN}` : whole,
    )
  }

  /** Does the same for a text whose end is missing: a secret may begin there. */
  redactStart(text: string): string {
    return this.redact(this.#current.redactStart(text))
  }

  /** Returns a query without secrets. */
  redactQuery(query: string): string {
    return query === '' ? '' : this.redact(`?${query}`).slice(1)
  }
}

function decodedBase64(encoded: string): string {
  try {
    return atob(encoded)
  } catch {
    return ''
  }
}
