import type { Scenario } from '../scenario/scenario.js'
import type { Answered, OutgoingRequest, Send } from './send.js'
import type { ReceivedDelivery } from '../sink/received-delivery.js'
import { resolveTargets, withTargets, type ResolvedTarget, type WebhookTarget } from './targets.js'

/** A webhook sink, as the emulator that sends to it knows it. */
export interface AttachedSink {
  readonly url: string
  readonly deliveries: readonly ReceivedDelivery[]
  /** How many answers it holds back, on the emulator's clock. */
  readonly holding: number
}

/** Where deliveries go that were asked for by a URL alone, and the sink that may be among them. */
export class Receivers {
  sink: AttachedSink | undefined
  targets: readonly ResolvedTarget[]
  /** How the sink is sent to without a network. */
  inside: Send | undefined
  readonly #given: readonly WebhookTarget[]
  readonly #seed: number

  constructor(given: readonly WebhookTarget[] = [], seed: number) {
    this.#given = given
    this.#seed = seed
    this.targets = resolveTargets(given, seed)
  }

  attach(sink: AttachedSink, inside: Send | undefined): void {
    this.sink = sink
    this.inside = inside
    this.targets = resolveTargets([...this.#given, { url: sink.url }], this.#seed)
  }

  /** The scenario with its open webhooks sent to them. */
  completed(scenario: Scenario): Scenario {
    return withTargets(scenario, this.targets)
  }

  send(request: OutgoingRequest, elsewhere: Send): Promise<Answered> {
    const { sink, inside } = this
    const isInside = sink && inside && new URL(request.url).origin === new URL(sink.url).origin
    return isInside ? inside(request) : elsewhere(request)
  }
}
