import { fetch as fetchBy, type Agent } from 'undici'
import { createClient, type Client } from '../../src/client.js'

export interface WorldAddress {
  trainingUrl: string
  inferenceUrl: string
  /** The key of the client, and of a world of its own where each key has one. */
  key: string
  isolated: boolean
}

/** What was true of a world at one moment. */
export interface Stamp {
  readonly generation: number
  readonly changes: number
  readonly calm: boolean
}

/**
 * A world as those know it who change it: which generation it is in, and whether anything may go
 * wrong in it. What was seen between two equal stamps was seen in one state of it.
 */
export class World {
  readonly address: WorldAddress
  readonly control: Client
  scenario = 'happy-path'
  /** Grows when a reset begins and when it has ended: what spans either belongs to no world. */
  generation = 0
  #honest = true
  #changing = 0
  #changes = 0

  readonly fetch: typeof fetch

  /** What it is asked for goes over the connections of `agent`. */
  constructor(address: WorldAddress, agent: Agent) {
    this.address = address
    // The library's types and the runtime's name the same things twice.
    this.fetch = ((url: string, init: object) =>
      fetchBy(url, { ...init, dispatcher: agent })) as unknown as typeof fetch
    const { trainingUrl: url, key, isolated } = address
    this.control = createClient({
      url,
      ...(isolated && { world: key }),
      fetch: this.fetch,
    })
  }

  get stamp(): Stamp {
    const { generation } = this
    const calm = this.#honest && this.#changing === 0
    return { generation, changes: this.#changes, calm }
  }

  /** Whether it was one and the same world, in which nothing goes wrong, since `stamp`. */
  calmSince(stamp: Stamp): boolean {
    return stamp.calm && this.#changing === 0 && this.#changes === stamp.changes
  }

  sameSince({ generation }: Stamp): boolean {
    // Odd while a reset is under way.
    return generation === this.generation && generation % 2 === 0
  }

  /** Changes it; `honest` says whether all goes well in what it then is. */
  async change(
    to: { reset?: boolean; scenario?: string; honest?: boolean },
    work: () => Promise<unknown>,
  ): Promise<void> {
    const step = (): void => {
      this.#changes++
      if (to.reset) this.generation++
    }
    step()
    this.#changing++
    try {
      await work()
    } finally {
      this.#changing--
      if (to.honest !== undefined) this.#honest = to.honest
      if (to.scenario !== undefined) this.scenario = to.scenario
      step()
    }
  }
}
