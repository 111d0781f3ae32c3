import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { toHex } from '../../../base/text/bytes.js'
import { PlatformError } from '../../platform/platform-error.js'
import { STORAGE_PATH } from './paths.js'

/** What an address is for. */
type ContentKind = 'uploads' | 'files' | 'artifacts'

/** How many digits a signature has: 128 bits. */
const DIGITS = 32

export interface ContentAddressOptions {
  /** The name of the world, which its addresses have. */
  readonly world: string
  /** Returns what nobody outside of the world knows. Called once, with the first address. */
  readonly secret: () => string
}

/**
 * The addresses of the contents of one world. Clients send no key to them, and ids come from the seed. So each has a
 * signature, as those of the service: without it, everybody who knows the seed could compute them.
 *
 * @example
 * const addresses = new ContentAddresses({ world: 'main', secret: () => 'of the world' })
 * addresses.pathOf('files', 'f1', 'a.txt') // '/storage/main/files/f1/a.txt?signature=…'
 */
export class ContentAddresses {
  readonly #world: string
  readonly #makeSecret: () => string
  #secret: Uint8Array | undefined

  constructor({ world, secret }: ContentAddressOptions) {
    this.#world = world
    this.#makeSecret = secret
  }

  /** Returns the path of a content and its signature. The parts are not escaped yet. */
  pathOf(kind: ContentKind, ...parts: readonly string[]): string {
    const path = [STORAGE_PATH, this.#world, kind, ...parts.map(encodeURIComponent)].join('/')
    return `${path}?signature=${this.#signatureOf(kind, parts)}`
  }

  /** Whether the query of a call has the signature of its content. */
  isSigned(query: string, kind: ContentKind, ...parts: readonly string[]): boolean {
    return new URLSearchParams(query).get('signature') === this.#signatureOf(kind, parts)
  }

  /**
   * Refuses a call whose query does not have it.
   *
   * @throws {PlatformError} With the problem `not-found`, whether there is such a content or not.
   */
  check(query: string, kind: ContentKind, ...parts: readonly string[]): void {
    if (this.isSigned(query, kind, ...parts)) return
    throw new PlatformError(
      'not-found',
      'There is no content at this address: its signature is missing, wrong, or of a world that has ended. Ask for the address again.',
    )
  }

  #signatureOf(kind: ContentKind, parts: readonly string[]): string {
    const signed = JSON.stringify([this.#world, kind, ...parts])
    this.#secret ??= bytesOf(this.#makeSecret())
    const signature = hmac(sha256, this.#secret, bytesOf(signed))
    return toHex(signature).slice(0, DIGITS)
  }
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
