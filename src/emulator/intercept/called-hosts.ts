/** The outcome of calls to one host. */
export interface CalledHost {
  readonly host: string
  /** Calls that were answered in place of the host. */
  readonly answered: number
  /** How many of them got the status of an error. */
  readonly troubled: number
  /** Connections that were refused. */
  readonly refused: number
  /** Connections and calls that went to the host itself. */
  readonly passed: number
  /** Why connections failed, or what to do about a refusal, without repetitions. */
  readonly failures: readonly string[]
}

/** How a call counts. */
export type Outcome = 'answered' | 'refused' | 'passed'

interface Counts extends Record<Outcome, number> {
  troubled: number
  /** Connections that clients ended without a word. */
  left: number
  readonly failures: Set<string>
}

/** Counts calls by host. */
export class CalledHosts {
  readonly #hosts = new Map<string, Counts>()

  count(host: string, outcome: Outcome | 'troubled'): void {
    this.#of(host)[outcome]++
  }

  /** Remembers why a connection failed. Of many reasons, the first ones. */
  failed(host: string, why: string): void {
    const { failures } = this.#of(host)
    if (failures.size < MOST_FAILURES) failures.add(why)
  }

  /** Counts a client that connected and left. That is a failure if none of its calls arrives. */
  left(host: string): void {
    this.#of(host).left++
  }

  get all(): CalledHost[] {
    return [...this.#hosts].map(([host, { left, ...counts }]) => {
      const failures = [...counts.failures]
      // Clients also open a connection that they turn out not to need.
      if (left > 0 && counts.answered === 0 && failures.length === 0) failures.push(NO_CALL)
      return { host, ...counts, failures }
    })
  }

  #of(host: string): Counts {
    const known = this.#hosts.get(host)
    if (known) return known
    // A program may call any number of hosts. The rest is counted together.
    if (this.#hosts.size >= MOST_HOSTS && host !== OTHERS) return this.#of(OTHERS)
    const none = { answered: 0, troubled: 0, refused: 0, passed: 0, left: 0 }
    const counts: Counts = { ...none, failures: new Set() }
    this.#hosts.set(host, counts)
    return counts
  }
}

const MOST_HOSTS = 1000
const MOST_FAILURES = 5
const OTHERS = 'other hosts'
const NO_CALL =
  'the client left without a call. It may not trust the certificate: then it reads its certificates from elsewhere, or it expects a certain one'
