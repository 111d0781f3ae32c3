import type { Scenario } from '../../service/scenario/scenario.js'
import type { Journal } from '../../service/engine/journal.js'
import type { ReceivedDelivery } from '../sink/received-delivery.js'
import { withReceivers, withSecrets, type ResolvedReceiver } from './addressed-scenario.js'
import type { HandOver } from './receiver-calls.js'
import type { ConfiguredReceiver } from './webhook-receiver.js'

/** The parts of a webhook sink that its emulator uses. */
export interface AttachedSink {
  /** The URL at which the emulator reaches it. */
  readonly url: string
  /** What it received, oldest first. */
  readonly deliveries: readonly ReceivedDelivery[]
  /** How many responses it delays, on the emulator's clock. */
  readonly holding: number
  /**
   * Forgets what a world sent that is reset now. A sink of another process does not know its senders.
   *
   * @internal
   */
  readonly forgetWorld?: (journal: Journal) => void
}

/** The receivers that have no webhook in the scenario, and the sink that may be one of them. */
export class Receivers {
  sink: AttachedSink | undefined
  /** All receivers; the sink comes last. */
  all: readonly ResolvedReceiver[]
  /** How the sink is reached, if it is in this process. */
  #handOver: HandOver | undefined
  readonly #configured: readonly ConfiguredReceiver[]
  #addressed: readonly ConfiguredReceiver[]
  readonly #seed: number

  constructor(configured: readonly ConfiguredReceiver[] = [], seed: number) {
    this.#configured = configured
    this.#addressed = configured
    this.#seed = seed
    this.all = withSecrets(configured, seed)
  }

  attach(sink: AttachedSink, handOver: HandOver | undefined): void {
    this.sink = sink
    this.#handOver = handOver
    this.#addressed = [...this.#configured, { url: sink.url }]
  }

  /** Returns how the receiver with that URL is reached in this process. Undefined: over the network. */
  readonly inside = (url: string): HandOver | undefined => {
    const { sink } = this
    if (!sink || !this.#handOver) return undefined
    // The sink may open a port, or close it: its URL is read each time.
    return new URL(url).origin === new URL(sink.url).origin ? this.#handOver : undefined
  }

  /** Returns the scenario with its webhooks that have no URL sent to these receivers. */
  completed(scenario: Scenario): Scenario {
    this.all = withSecrets(this.#addressed, this.#seed, scenario)
    return withReceivers(scenario, this.all)
  }
}
