import type { ApiRequest } from '../../contract/exchange.js'

const decoder = new TextDecoder('latin1')

/** Knows which deliveries came before, by their delivery id or, where they have none, by their bytes. */
export class Duplicates {
  readonly #idHeader: string
  readonly #first = new Map<string, string>()

  constructor(idHeader: string) {
    this.#idHeader = idHeader.toLowerCase()
  }

  /** The id of the first of its kind; undefined where it is the first. */
  firstOf(request: ApiRequest, id: string): string | undefined {
    const key = this.#keyOf(request)
    const first = this.#first.get(key)
    if (first === undefined) this.#first.set(key, id)
    return first
  }

  forget(request: Pick<ApiRequest, 'path' | 'headers' | 'body'>): void {
    this.#first.delete(this.#keyOf(request))
  }

  clear(): void {
    this.#first.clear()
  }

  #keyOf({ path, headers, body }: Pick<ApiRequest, 'path' | 'headers' | 'body'>): string {
    const deliveryId = headers[this.#idHeader]
    if (deliveryId !== undefined) return `id ${path} ${deliveryId}`
    return `bytes ${path} ${body === 'too-large' ? body : decoder.decode(body)}`
  }
}
