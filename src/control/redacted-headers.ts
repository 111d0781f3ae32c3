import { HIDDEN } from '../text/redact.js'

/** Headers whose value is a credential. An idempotency key is none. */
const CREDENTIAL = /(?:^|-)(?:authorization|cookie|(?<!idempotency-)key|password|secret|token)$/i

/** The credential in a header, without the scheme of an authorization. Undefined: there is none. */
export function credentialIn(name: string, value: string): string | undefined {
  if (!CREDENTIAL.test(name)) return undefined
  return name.endsWith('authorization') ? value.replace(/^\S+\s+/, '').trim() : value.trim()
}

/** Headers without credentials. The scheme of an authorization stays. */
export function redactedHeaders(
  headers: Readonly<Record<string, string | undefined>>,
  redact: (text: string) => string,
): Record<string, string> {
  const shown = Object.entries(headers).map(([name, value = '']) => {
    if (name.endsWith('authorization') && /\S\s+\S/.test(value)) {
      return [name, value.replace(/(?<=^\s*\S+\s).*/, HIDDEN)]
    }
    return [name, CREDENTIAL.test(name) ? HIDDEN : redact(value)]
  })
  return Object.fromEntries(shown) as Record<string, string>
}
