import { valueKind } from './options.js'
import { METADATA_ADDRESSES, METADATA_NAMES } from './vendor/metadata-services.js'

/** Returns the host name of a `Host` header, in lower case, without port and brackets. */
export function hostOfHeader(authority: string): string {
  return withoutBrackets(authority.toLowerCase().replace(/:\d*$/, ''))
}

/**
 * The one normal form of a host: in lower case and ASCII, without brackets, zone and last dot. An address is written as
 * URLs write it, also if it was in octal, in hex or short: resolvers take all of these.
 */
export function hostName(host: string): string {
  if (USUAL.test(host)) return host
  const inside = withoutBrackets(host)
  const isAddress = inside.includes(':')
  const bare = isAddress ? inside.replace(/%.*$/s, '') : inside
  const url = `http://${isAddress ? `[${bare}]` : bare}/`
  const known = !NOT_IN_A_HOST.test(bare) && URL.canParse(url) ? new URL(url).hostname : bare
  return withoutBrackets(known.toLowerCase()).replace(/\.$/, '')
}

/** Most hosts are in their normal form. A name whose last part begins with a digit may be an address. */
const USUAL = /^(?:(?:[a-z\d_-]+\.)*[a-z_][a-z\d_-]*|(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){3})$/
/** What ends the host of a URL, or is left out of it. */
const NOT_IN_A_HOST = /[\s/?#@\\%]/

/** Removes the brackets of an IPv6 address. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

/** What names hosts in a list. */
export const aListedHost = valueKind(
  'a host name without scheme or port, such as emulator.test, or .example.com for all below it',
  (value) => typeof value === 'string' && /^[\w.-]+$/.test(value),
)

/** Whether a list of host names has a name, in any case. `.example.test` stands for all names below it. */
export function isListedHost(name: string, list: readonly string[]): boolean {
  const host = name.toLowerCase()
  return list.some((listed) => {
    const each = listed.toLowerCase()
    return each.startsWith('.') ? host.endsWith(each) : host === each
  })
}

/** The user and the password of a URL. A `%` that escapes nothing stands for itself. */
export function loginOf({ username, password }: URL): { user: string; password: string } {
  return { user: decoded(username), password: decoded(password) }
}

function decoded(text: string): string {
  return text.replaceAll(/(?:%[\da-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}

/**
 * Whether an address is a loopback address, which only this machine can reach. It is trusted, so a form that only may
 * be one is none: a name with a last dot, or an IPv4 address that a network carries in IPv6.
 */
export function isLoopback(host: string): boolean {
  if (USUAL_LOOPBACK.test(host)) return true
  return !host.endsWith('.') && isIn(LOOPBACK, bytesOf(hostName(host)))
}

const USUAL_LOOPBACK = /^(?:(?:::ffff:)?127\.0\.0\.1|localhost)$/i
const BELOW_LOCALHOST = /^(?:[\w-]+\.)+localhost$/i

/** Whether a host name always refers to this machine. */
export function isLoopbackName(name: string): boolean {
  return isLoopback(name) || BELOW_LOCALHOST.test(name)
}

/**
 * Whether a host may lead to this machine, to its network segment, or to a service that tells a cloud machine its
 * secrets. An IPv4 address counts in every form in which IPv6 carries it.
 *
 * @param own - The addresses of the interfaces of this machine.
 */
export function isNear(host: string, own: readonly string[]): boolean {
  const name = hostName(host)
  if (isLoopbackName(name) || METADATA_NAMES.includes(name)) return true
  const bytes = bytesOf(name)
  if (!bytes) return false
  const near = [...NEAR, ...own.map(rangeOf)]
  return carriedBy(bytes).some((each) => isIn(near, each))
}

type Bytes = readonly number[]

interface Range {
  readonly bytes: Bytes
  /** How many bits of an address are those of the range. */
  readonly bits: number
}

/** Reads `127.0.0.0/8`. Without a number of bits, a range is one address. */
function rangeOf(text: string): Range {
  const [address = '', bits] = text.split('/')
  const bytes = bytesOf(hostName(address)) ?? []
  return { bytes, bits: bits === undefined ? bytes.length * 8 : Number(bits) }
}

const LOOPBACK = ['127.0.0.0/8', '::1'].map(rangeOf)
/** Besides loopback: this host, and the addresses of a network segment (RFC 1122, RFC 3927, RFC 4291). */
const SEGMENT = ['0.0.0.0/8', '169.254.0.0/16', '255.255.255.255', '::', 'fe80::/10'].map(rangeOf)
const NEAR = [...LOOPBACK, ...SEGMENT, ...METADATA_ADDRESSES.map(rangeOf)]

/** Where IPv6 ends in an IPv4 address, beside the mapped form: compatible, translated, NAT64. */
const CARRIERS = ['::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48'].map(rangeOf)
/** 6to4 has it after its first two bytes. */
const SIX_TO_FOUR = [rangeOf('2002::/16')]

/** An address, and the IPv4 address in it. */
function carriedBy(bytes: Bytes): Bytes[] {
  if (isIn(CARRIERS, bytes)) return [bytes, bytes.slice(12)]
  return isIn(SIX_TO_FOUR, bytes) ? [bytes, bytes.slice(2, 6)] : [bytes]
}

function isIn(ranges: readonly Range[], bytes: Bytes | undefined): boolean {
  return ranges.some((range) => {
    if (range.bytes.length !== bytes?.length) return false
    return range.bytes.every((byte, index) => {
      const shift = 8 - Math.min(8, Math.max(0, range.bits - index * 8))
      return byte >> shift === bytes[index]! >> shift
    })
  })
}

/** The bytes of an address in its normal form; those of IPv4 if it is a mapped one. Undefined for a name. */
function bytesOf(address: string): Bytes | undefined {
  if (/^\d+(?:\.\d+){3}$/.test(address)) return address.split('.').map(Number)
  if (!/^[\da-f]*:[\da-f:]*$/.test(address)) return undefined
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean))
  const missing = Math.max(0, 8 - head.length - tail.length)
  const bytes = [...head, ...Array<string>(missing).fill('0'), ...tail].flatMap((group) => {
    const word = Number.parseInt(group, 16)
    return [word >> 8, word & 255]
  })
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255
  return isMapped && bytes[11] === 255 ? bytes.slice(12) : bytes
}
