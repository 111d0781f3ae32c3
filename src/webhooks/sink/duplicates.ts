import type { ApiRequest } from '../../contract/exchange.js'

const REPLACED = '\uFFFD'
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const latin1 = new TextDecoder('latin1')

/**
 * Knows which deliveries came before, by their delivery id or, where they have none, by their bytes:
 * of so many different ones, the latest.
 */
export class Duplicates {
  readonly #idHeader: string
  readonly #capacity: number
  readonly #first = new Map<string, string>()

  constructor(idHeader: string, capacity: number) {
    this.#idHeader = idHeader.toLowerCase()
    this.#capacity = capacity
  }

  /** The id of the first of its kind; undefined where it is the first. */
  firstOf(request: ApiRequest, id: string): string | undefined {
    const key = this.#keyOf(request)
    const first = this.#first.get(key)
    if (first !== undefined) return first
    this.#first.set(key, id)
    if (this.#first.size > this.#capacity) this.#first.delete(this.#first.keys().next().value!)
    return undefined
  }

  forget(request: ApiRequest): void {
    this.#first.delete(this.#keyOf(request))
  }

  clear(): void {
    this.#first.clear()
  }

  #keyOf({ path, headers, body }: ApiRequest): string {
    const deliveryId = headers[this.#idHeader]
    if (deliveryId !== undefined) return `id ${path} ${deliveryId}`
    if (body === 'too-large') return `bytes ${path} ${body}`
    const text = utf8.decode(body)
    // What is no UTF-8 is read as the same text as something else that is none.
    return `bytes ${path} ${text.includes(REPLACED) ? latin1.decode(body) : text}`
  }
}
