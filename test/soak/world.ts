import { fetch as fetchBy, type Agent } from 'undici'
import { createClient, type Client } from '../../src/client.js'

export interface WorldAddress {
  trainingUrl: string
  inferenceUrl: string
  /** The API key of the client. It selects the world if each key has its own. */
  key: string
  isolated: boolean
}

/** The state of a world at one moment. */
export interface Stamp {
  readonly generation: number
  readonly changes: number
  readonly calm: boolean
}

/**
 * A world, together with what its clients know about it: its generation, and whether it can have
 * faults. Everything that a client sees between two equal stamps belongs to one state.
 */
export class World {
  readonly address: WorldAddress
  readonly control: Client
  scenario = 'happy-path'
  /** Increases when a reset begins and when it ends. It is odd during a reset. */
  generation = 0
  #honest = true
  #changing = 0
  #changes = 0

  readonly fetch: typeof fetch

  /** All calls use the connections of `agent`. */
  constructor(address: WorldAddress, agent: Agent) {
    this.address = address
    // The types of the library and of the runtime differ in name only.
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

  /** Whether the world has not changed since `stamp`, and has no faults. */
  calmSince(stamp: Stamp): boolean {
    return stamp.calm && this.#changing === 0 && this.#changes === stamp.changes
  }

  sameSince({ generation }: Stamp): boolean {
    // Odd during a reset.
    return generation === this.generation && generation % 2 === 0
  }

  /** Changes the world. `honest` says whether it has no faults afterwards. */
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
