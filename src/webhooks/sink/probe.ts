import type { BackgroundErrors } from '../../base/text/background-errors.js'
import type { ApiRequest } from '../../service/contract/exchange.js'
import { SIGNATURE_HEADER } from '../signature/signature.js'
import type { Journal } from '../../service/engine/journal.js'
import { headerOf } from '../signature/verify.js'

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The path of the readiness call: a probe that is answered with counts. */
export const READY_PATH = '/_sink/ready'

/** A request that checks whether the sink is up. It is not a delivery. */
export interface Probe {
  readonly method: string
  readonly path: string
}

/** Whether this is a probe: it reads, has no body, and has no signature in the header of that name. */
export function isProbe({ method, headers, body }: ApiRequest, header = SIGNATURE_HEADER): boolean {
  return READING.has(method) && body.length === 0 && headerOf(headers, header) === undefined
}

/** Formats a probe: `GET /: a probe, not recorded as a delivery`. */
export function formatProbe({ method, path }: Probe): string {
  return `${method} ${path}: a probe, not recorded as a delivery`
}

/** Tells of probes. One that repeats is announced once, until a delivery arrives. */
export class Probes {
  readonly #listeners = new Set<(probe: Probe) => void>()
  #announced: string | undefined

  subscribe(listener: (probe: Probe) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  announce(probe: Probe, journal: Journal | undefined, background: BackgroundErrors): void {
    const text = formatProbe(probe)
    if (text === this.#announced) return
    this.#announced = text
    journal?.note(`webhook sink: ${text}`)
    for (const listener of this.#listeners) {
      background.run('tell a listener of the sink', () => listener(probe))
    }
  }

  /** A delivery arrived. */
  over(): void {
    this.#announced = undefined
  }
}
