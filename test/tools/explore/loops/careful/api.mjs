// A client of the training service. The loops of this folder share it.

/** Milliseconds. */
const CALL_TIMEOUT = 400
const LONGEST_PAUSE = 5000
const MOST_ATTEMPTS = 12
const MOST_PAGES = 60
/** The same call may work later, as after all statuses from 500 on. */
const PASSING = [402, 404, 408, 429]

/** The service refused a call. */
export class Refused extends Error {
  constructor(call, { status, answer, retryAfter }) {
    super(`${call}: ${status} ${JSON.stringify(answer?.detail ?? answer?.error?.message ?? null)}`)
    this.status = status
    this.retryAfter = retryAfter
    this.isOfService = answer?.detail !== undefined || answer?.error !== undefined
  }
}

/** A call got no answer, or one that cannot be read. It may have done its work. */
export class Lost extends Error {}

export class Api {
  #service

  /** @param service Where the service is, how to call it, how to wait, and how long at most. */
  constructor(service) {
    this.#service = service
  }

  /** Waits before the next attempt. The service knows best how long. */
  pause(attempt, { retryAfter = 0 } = {}) {
    const { sleep, longestPause = LONGEST_PAUSE } = this.#service
    return sleep(Math.max(retryAfter, Math.min(50 * 2 ** attempt, longestPause)))
  }

  get(path) {
    return this.#call('GET', this.#service.trainingUrl + path)
  }

  post(path, body) {
    return this.#call('POST', this.#service.trainingUrl + path, body)
  }

  delete(path, body) {
    return this.#call('DELETE', this.#service.trainingUrl + path, body)
  }

  chat(body) {
    return this.#call('POST', `${this.#service.inferenceUrl}/chat/completions`, body)
  }

  async #call(method, url, body) {
    const { fetch, apiKey } = this.#service
    let response
    let text
    try {
      response = await fetch(url, {
        method,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: body && JSON.stringify(body),
        signal: AbortSignal.timeout(CALL_TIMEOUT),
      })
      text = await response.text()
    } catch (error) {
      throw new Lost(`${method} ${url}: ${error.message}`)
    }
    const answer = parse(text)
    if (!response.ok) {
      const { status, headers } = response
      const retryAfter = Number(headers.get('retry-after') ?? 0) * 1000
      throw new Refused(`${method} ${url}`, { status, answer, retryAfter })
    }
    if (answer === undefined) throw new Lost(`${method} ${url}: the answer is not JSON`)
    return answer
  }

  /** Repeats a call that may come twice. A status of `final` ends it at once. */
  async retrying(task, final = []) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await task()
      } catch (error) {
        if (attempt === MOST_ATTEMPTS) throw error
        if (!mayPass(error) || final.includes(error.status)) throw error
        await this.pause(attempt, error)
      }
    }
  }
}

/** Metrics can be NaN or Infinity, which JSON.parse refuses. */
function parse(text) {
  try {
    return JSON.parse(text.replace(/([:[,]\s*)(?:NaN|-?Infinity)\b/g, '$1null'))
  } catch {
    return undefined
  }
}

/** Whether the same call may work later. */
export function mayPass(error) {
  if (error instanceof Lost) return true
  if (!(error instanceof Refused)) return false
  // A 400 of a proxy passes, and one of the service does not.
  if (error.status === 400) return !error.isOfService
  return error.status >= 500 || PASSING.includes(error.status)
}

/** A list that grows. Its pages may be empty, overlap, or start again. */
export class List {
  items = []
  #api
  #path
  #limit
  #seen = new Set()
  #cursor

  constructor(api, path, limit = 100) {
    this.#api = api
    this.#path = path
    this.#limit = limit
  }

  /** Reads what is new since the last time. */
  async more() {
    const fresh = []
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const page = await this.#page()
      for (const item of page.data) {
        if (this.#seen.has(item.id)) continue
        this.#seen.add(item.id)
        this.items.push(item)
        fresh.push(item)
      }
      this.#cursor = this.items.at(-1)?.id
      if (!page.has_more) break
    }
    return fresh
  }

  async #page() {
    const cursor = this.#cursor
    const query = cursor === undefined ? '' : `&after=${cursor}`
    // A cursor that the service does not know any more gives 404.
    const final = cursor === undefined ? [] : [404]
    try {
      return await this.#api.retrying(
        () => this.#api.get(`${this.#path}?limit=${this.#limit}${query}`),
        final,
      )
    } catch (error) {
      if (error.status !== 404 || cursor === undefined) throw error
      // Reads from the start. What was read before is left out.
      this.#cursor = undefined
      return this.#api.retrying(() => this.#api.get(`${this.#path}?limit=100`))
    }
  }
}
