import type { ApiRequest } from '../../contract/exchange.js'

const decoder = new TextDecoder('latin1')

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
    return `bytes ${path} ${body === 'too-large' ? body : decoder.decode(body)}`
  }
}
