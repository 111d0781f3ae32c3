import { fromBase64 } from '../bytes.js'
import { HIDDEN } from './hidden.js'
import { decodedPart } from './readings.js'
import { isSecretName } from './secret-names.js'

/**
 * The secrets in a header: the credential without its scheme, the values of cookies, the password of a Basic pair. A
 * page that leads to the service, such as a `referer`, may have one in its address.
 */
export function secretsInHeader(name: string, value: string): string[] {
  const inUrl = value.includes('://') ? secretsInUrl(value) : []
  return [...credentialsIn(name.toLowerCase(), value), ...inUrl]
}

function credentialsIn(lower: string, value: string): string[] {
  if (lower === 'cookie' || lower === 'set-cookie') {
    // Several `set-cookie` headers are joined with commas.
    const cookies = lower === 'cookie' ? value.split(';') : value.split(/,(?=[^;,]*=)/)
    return cookies.map((cookie) => {
      const [pair = ''] = cookie.split(';', 1)
      return unquoted(pair.slice(pair.indexOf('=') + 1))
    })
  }
  if (!isSecretName(lower, 'header')) return []
  const [, first = '', credential = ''] = /^\s*(\S+)\s+(.*)$/s.exec(value) ?? []
  if (credential === '') return isScheme(value.trim()) ? [] : [unquoted(value)]
  const pair = first.toLowerCase() === 'basic' ? secretsInPair(credential.trim()) : []
  // A client may send the two in the wrong order.
  const parts = [unquoted(credential), first].filter((part) => !isScheme(part))
  return [value.trim(), ...parts, ...pair]
}

const SCHEME =
  /^(?:basic|bearer|digest|negotiate|ntlm|dpop|hawk|oauth|token|key|api-?key|shared-?key|aws4-hmac-sha256)$/i

/** Whether a word is a scheme of an authorization. Any other word may be a part of the credential. */
export function isScheme(word: string): boolean {
  return SCHEME.test(word)
}

function secretsInPair(encoded: string): string[] {
  const pair = new TextDecoder().decode(fromBase64(encoded))
  const colon = pair.indexOf(':')
  if (colon === -1) return []
  const password = pair.slice(colon + 1)
  // Some services take the key as the name, without a password.
  return [pair, password === '' ? pair.slice(0, colon) : password]
}

/** The secrets in a query. */
export function secretsInQuery(query: string): string[] {
  if (query === '') return []
  return [...new URLSearchParams(query)].flatMap(([name, value]) => {
    return isSecretName(name, 'query') ? [value] : []
  })
}

/** The scheme of a URL, and its user and password, which may have spaces. */
const USER_INFO = /^([a-z][a-z\d+.-]*:\/\/)([^/?#]*)@/i

/** The user and the password in a URL, and the secrets in its query. */
export function secretsInUrl(url: string): string[] {
  const [, , userInfo = ''] = USER_INFO.exec(url) ?? []
  const [user = '', ...rest] = userInfo.split(':')
  const password = rest.join(':')
  const query = url.split('#', 1)[0]!.split('?').slice(1).join('?')
  // A name without a password may be a token.
  return [password === '' ? user : password, ...secretsInQuery(query)].flatMap((each) => {
    return each === '' ? [] : [each, decodedPart(each)]
  })
}

function unquoted(value: string): string {
  return value.trim().replace(/^"(.*)"$/s, '$1')
}

/**
 * Removes user and password from a URL, and hides the secrets in its query.
 *
 * @example
 * withoutCredentials('http://ann:pass@127.0.0.1/hook?token=abc') // 'http://127.0.0.1/hook?token=[not shown]'
 */
export function withoutCredentials(url: string): string {
  return url
    .replace(USER_INFO, '$1')
    .replaceAll(/([?&])([^=&?#]*)=([^&#]*)/g, (whole, mark: string, name: string) => {
      return isSecretName(decodedPart(name), 'query') ? `${mark}${name}=${HIDDEN}` : whole
    })
}

/** Returns the text after the `?` of a URL without secrets. */
export function redactedQuery(query: string, redact: (text: string) => string): string {
  return query === '' ? '' : redact(`?${query}`).slice(1)
}

/** Headers without credentials. The scheme of an authorization stays. */
export function redactedHeaders(
  headers: Readonly<Record<string, string | undefined>>,
  redact: (text: string) => string,
): Record<string, string> {
  const shown = Object.entries(headers).map(([name, value = '']) => {
    return [name, hiddenHeader(name, value) ?? redact(value)]
  })
  return Object.fromEntries(shown) as Record<string, string>
}

/** What to show of a header whose value is a credential. Undefined: it is none. */
export function hiddenHeader(name: string, value: string): string | undefined {
  if (!isSecretName(name, 'header')) return undefined
  const [, first = ''] = /^\s*(\S+)\s+\S/.exec(value) ?? []
  const isAuthorization = name.toLowerCase().endsWith('authorization')
  return isAuthorization && isScheme(first) ? `${first} ${HIDDEN}` : HIDDEN
}
