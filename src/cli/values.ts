import { FASTEST } from '../clock/clock.js'
import { DURATION, isDuration } from '../text/duration.js'

/** What a flag's value may be: how it is read from text, and how to say so where it cannot be. */
export interface Value<T> {
  /** Completes "--port takes …". */
  takes: string
  /** Undefined where the text is no such value. Never called with the empty string. */
  read: (text: string) => T | undefined
  /** All there are, where they can be listed. */
  choices?: readonly string[]
}

export function anyText(takes: string): Value<string> {
  return { takes, read: (text) => text }
}

export const port: Value<number> = {
  takes: 'a port number, 0 to 65535',
  read: (text) => wholeNumber(text, 65_535),
}

export const seed: Value<number> = {
  takes: 'a whole number',
  read: (text) => wholeNumber(text, Number.MAX_SAFE_INTEGER),
}

export const speed: Value<number> = {
  takes: `a number above 0, at most ${FASTEST}`,
  read(text) {
    if (!/^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return undefined
    const value = Number(text)
    return value > 0 && value <= FASTEST ? value : undefined
  },
}

export const toggle: Value<boolean> = {
  takes: 'true or false',
  read(text) {
    if (['1', 'true', 'yes', 'on'].includes(text.toLowerCase())) return true
    if (['0', 'false', 'no', 'off'].includes(text.toLowerCase())) return false
    return undefined
  },
}

export function oneOf<const T extends string>(choices: readonly T[]): Value<T> {
  return {
    takes: [choices.slice(0, -1).join(', '), choices.at(-1)].filter(Boolean).join(' or '),
    read: (text) => choices.find((choice) => choice === text),
    choices,
  }
}

/** One word, as it stands in a header. */
export const token: Value<string> = {
  takes: 'a token of visible characters without spaces',
  read: (text) => (/^[!-~]+$/.test(text) ? text : undefined),
}

/** An address to bind; IPv6 ones may stand in brackets, as they do in URLs. */
export const address: Value<string> = {
  takes: 'an address or a host name to bind, such as 0.0.0.0',
  read: (text) => /^\[?([\w.:%-]+)\]?$/.exec(text)?.[1],
}

export const hostName: Value<string> = {
  takes: 'a host name without scheme or port, such as emulator.test',
  read: (text) => (/^[\w.-]+$/.test(text) ? text.toLowerCase() : undefined),
}

/** Compared letter by letter with what browsers send, so it is brought into their form. */
export const origin: Value<string> = {
  takes: 'an origin such as http://localhost:5173, or * for all',
  read(text) {
    if (text === '*' || text === 'null') return text
    const [, written] = /^([a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+)\/?$/i.exec(text) ?? []
    if (written === undefined || !URL.canParse(written)) return undefined
    const canonical = new URL(written).origin
    // Schemes of browser extensions have no origin as far as URLs go.
    return canonical === 'null' ? written.toLowerCase() : canonical
  },
}

/** Only characters that mean the same in a URL, in a shell's `export` line and on the wire. */
export const urlPath: Value<string> = {
  takes: 'a path of letters, digits and . _ ~ - such as /api/training',
  read(text) {
    const inside = text.replaceAll(/^\/+|\/+$/g, '')
    const segments = inside === '' ? [] : inside.split('/')
    // Clients resolve dots before they send a path.
    const fine = segments.every((part) => /^[\w.~-]+$/.test(part) && !/^\.\.?$/.test(part))
    return fine ? inside : undefined
  },
}

/** An address to send to. */
export const webUrl: Value<string> = {
  takes: 'a URL that begins with http:// or https://',
  read: (text) => (/^https?:\/\/[^/]/i.test(text) && URL.canParse(text) ? text : undefined),
}

export const headerName: Value<string> = {
  takes: 'the name of a header, such as X-Hub-Signature-256',
  read: (text) => (/^[\w!#$%&'*+.^`|~-]+$/.test(text) ? text : undefined),
}

export const duration: Value<string> = {
  takes: DURATION,
  read: (text) => (isDuration(text) ? text : undefined),
}

function wholeNumber(text: string, most: number): number | undefined {
  const value = /^\d+$/.test(text) ? Number(text) : NaN
  return value <= most ? value : undefined
}
