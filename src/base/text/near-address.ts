import { hostName } from './authority.js'
import { METADATA_ADDRESSES, METADATA_NAMES } from './vendor/metadata-services.js'

/**
 * Whether an address is a loopback address, which only this machine can reach. It is trusted, so a form that only may
 * be one is none: a name with a last dot, or an IPv4 address that a network carries in IPv6.
 */
export function isLoopback(host: string): boolean {
  if (LOOPBACK_NAMES.test(host)) return true
  return !host.endsWith('.') && isIn(LOOPBACK, bytesOf(hostName(host)))
}

/** What is loopback by its name. Addresses are looked up below. */
const LOOPBACK_NAMES = /^localhost$/i
const BELOW_LOCALHOST = /^(?:[\w-]+\.)+localhost$/i

/** Whether a host name always refers to this machine. */
export function isLoopbackName(name: string): boolean {
  return isLoopback(name) || BELOW_LOCALHOST.test(name)
}

/**
 * Whether a host leads to this machine: by its name, or by an address of its own.
 *
 * @param own - The host name of this machine, and the addresses of its interfaces.
 */
export function isHere(host: string, own: readonly string[]): boolean {
  const name = hostName(host)
  return isLoopbackName(name) || ['0.0.0.0', '::', ...own.map(hostName)].includes(name)
}

/**
 * Whether a host may lead to this machine, to its network segment, or to a service that tells a cloud machine its
 * secrets. An IPv4 address counts in the forms in which IPv6 carries it as it is.
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

/**
 * Reads `127.0.0.0/8`. Without a number of bits, a range is one address.
 *
 * @throws {Error} For what is no address: a mistake in a table below would protect nothing.
 */
function rangeOf(text: string): Range {
  const [address = '', bits] = text.split('/')
  const bytes = bytesOf(hostName(address))
  if (!bytes) throw new Error(`${text} is no address.`)
  return { bytes, bits: bits === undefined ? bytes.length * 8 : Number(bits) }
}

const LOOPBACK = ['127.0.0.0/8', '::1'].map(rangeOf)
/** Besides loopback: this host, and the addresses of a network segment (RFC 1122, RFC 3927, RFC 4291). */
const SEGMENT = ['0.0.0.0/8', '169.254.0.0/16', '255.255.255.255', '::', 'fe80::/10'].map(rangeOf)
const NEAR = [...LOOPBACK, ...SEGMENT, ...METADATA_ADDRESSES.map(rangeOf)]

/**
 * Which bytes of IPv6 are an IPv4 address, beside the mapped form, which `bytesOf` reads: compatible, translated and
 * NAT64 (RFC 6052), 6to4 (RFC 3056), and NAT64 of a network itself (RFC 8215), which may have a prefix of any length.
 */
const CARRIERS = [
  { range: rangeOf('::/96'), places: [[12, 13, 14, 15]] },
  { range: rangeOf('::ffff:0:0:0/96'), places: [[12, 13, 14, 15]] },
  { range: rangeOf('64:ff9b::/96'), places: [[12, 13, 14, 15]] },
  {
    range: rangeOf('64:ff9b:1::/48'),
    places: [
      [6, 7, 9, 10],
      [7, 9, 10, 11],
      [9, 10, 11, 12],
      [12, 13, 14, 15],
    ],
  },
  { range: rangeOf('2002::/16'), places: [[2, 3, 4, 5]] },
]

/** An address, and each IPv4 address that may be in it. */
function carriedBy(bytes: Bytes): Bytes[] {
  const carriers = CARRIERS.filter(({ range }) => isIn([range], bytes))
  const carried = carriers.flatMap(({ places }) => places)
  return [bytes, ...carried.map((place) => place.map((index) => bytes[index]!))]
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
