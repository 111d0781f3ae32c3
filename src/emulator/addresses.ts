import type { Host } from '../contract/exchange.js'

type Origins = Readonly<Record<Host, string>>

const IN_PROCESS: Origins = {
  training: 'http://training.svtrain.test',
  inference: 'http://inference.svtrain.test',
}

/** Where the two hosts are called: on ports, or, where there are none, by names of our own. */
export class Addresses {
  readonly #basePath: string
  #origins = IN_PROCESS

  constructor(basePath: string) {
    this.#basePath = basePath
  }

  get origins(): Origins {
    return this.#origins
  }

  /** On ports from now on, or on none. */
  move(origins: Origins | undefined): void {
    this.#origins = origins ?? IN_PROCESS
  }

  /** What a client library takes as the base URL of a host; ends in `/v1`. */
  baseUrl(host: Host): string {
    return `${this.#origins[host]}${this.#basePath}/v1`
  }

  /** Which of the two hosts a URL belongs to. */
  hostOf({ origin }: { origin: string }): Host | undefined {
    for (const host of ['training', 'inference'] as const) {
      if (origin === this.#origins[host] || origin === IN_PROCESS[host]) return host
    }
    return undefined
  }
}
