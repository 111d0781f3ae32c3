import type { ApiRequest } from '../../service/contract/exchange.js'
import { md5Of } from '../../service/platform/digest.js'
import { toHex } from '../../base/text/bytes.js'
import { JSON_BOUNDS } from '../../base/text/json-text.js'
import { LatestItems } from '../../base/text/latest-items.js'
import { headerOf } from '../signature/verify.js'

const REPLACED = '\uFFFD'
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const latin1 = new TextDecoder('latin1')

/** A delivery as it arrives at the sink. */
export interface Arriving {
  readonly request: ApiRequest
  /** The id of its record. */
  readonly id: string
  /** The sender's own record, if it is known: the same object for each attempt. */
  readonly delivery?: object | undefined
}

/** Which earlier record a delivery repeats. At most one of the two is set. */
export interface Repeats {
  /** The first record of the same delivery. */
  readonly duplicateOf: string | undefined
  /** The first record with the same bytes, if nothing identifies the delivery. */
  readonly sameBytesAs: string | undefined
}

/**
 * Finds repeated deliveries. Only an identity makes a duplicate: the sender's own record, or a header
 * with a delivery id. The service sends no such header, and two events may have the same payload, so
 * equal bytes alone are reported as equal bytes. Remembers the latest `capacity`
 * ids and bodies.
 */
export class Duplicates {
  readonly #idHeader: string
  readonly #first = new Map<string, string>()
  readonly #keys: LatestItems<{ readonly key: string; readonly id: string }>
  #firstSent = new WeakMap<object, string>()

  constructor(idHeader: string, capacity: number) {
    this.#idHeader = idHeader
    this.#keys = new LatestItems(capacity)
  }

  /** Notes a delivery and returns what it repeats. */
  add({ request, id, delivery }: Arriving): Repeats {
    if (delivery) {
      const duplicateOf = this.#firstSent.get(delivery)
      if (duplicateOf === undefined) this.#firstSent.set(delivery, id)
      return { duplicateOf, sameBytesAs: undefined }
    }
    const identified = headerOf(request.headers, this.#idHeader) !== undefined
    const first = this.#firstOf(this.#keyOf(request), id)
    return {
      duplicateOf: identified ? first : undefined,
      sameBytesAs: identified ? undefined : first,
    }
  }

  /** Forgets a delivery that could not be recorded. */
  forget({ request, id, delivery }: Arriving): void {
    if (delivery) {
      if (this.#firstSent.get(delivery) === id) this.#firstSent.delete(delivery)
      return
    }
    const key = this.#keyOf(request)
    if (this.#first.get(key) === id) this.#first.delete(key)
  }

  clear(): void {
    this.#first.clear()
    this.#keys.clear()
    this.#firstSent = new WeakMap()
  }

  #firstOf(key: string, id: string): string | undefined {
    const first = this.#first.get(key)
    if (first !== undefined) return first
    this.#first.set(key, id)
    // Finding the oldest key of a large map takes longer than finding it in a list.
    for (const oldest of this.#keys.add({ key, id })) {
      if (this.#first.get(oldest.key) === oldest.id) this.#first.delete(oldest.key)
    }
    return undefined
  }

  #keyOf({ path, headers, body }: ApiRequest): string {
    const deliveryId = headerOf(headers, this.#idHeader)
    if (deliveryId !== undefined) return `id ${path} ${deliveryId}`
    if (body === 'too-large') return `bytes ${path} ${body}`
    // Its text takes long to decode, and much memory.
    if (body.length > JSON_BOUNDS.characters)
      return `MD5 ${path} ${body.length} ${toHex(md5Of(body))}`
    const text = utf8.decode(body)
    // Two bodies that are not UTF-8 may decode to the same text.
    return `bytes ${path} ${text.includes(REPLACED) ? latin1.decode(body) : text}`
  }
}
