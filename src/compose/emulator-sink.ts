import { definedIn } from '../base/text/defined-in.js'
import { EmulatorError } from '../base/text/emulator-error.js'
import type { Emulator } from '../emulator/emulator.js'
import type { WebhookRule } from '../service/scenario/scenario.js'
import type { AttemptUnderWay, HandOver } from '../webhooks/sending/receiver-calls.js'
import type { Expectations } from '../webhooks/sink/inspection.js'
import {
  receiversTable,
  type Cause,
  type SendersOwn,
  type SinkOptions,
} from '../webhooks/sink/sink-options.js'
import type { SinkWorld } from '../webhooks/sink/waiting.js'
import { Options, webUrl } from '../base/text/options.js'
import { handOver } from '../emulator/adapters/sink-in-process.js'
import { WebhookSink, type WebhookSinkOptions } from './create-sink.js'

type World = Pick<Emulator, 'sink' | 'webhooks' | 'clock' | 'engine' | 'journal' | 'inFlight'>
type Sender = World & Pick<Emulator, 'worlds'>

/** The options of a sink, without those that the emulator provides. */
type OwnSinkOptions = Omit<SinkOptions, SendersOwn>

/** The options of `emulator.createSink`. */
export type EmulatorSinkOptions = OwnSinkOptions & Pick<WebhookSinkOptions, 'forwardTo'>

export const emulatorSinkOptions = new Options<EmulatorSinkOptions>('createSink', {
  ...receiversTable,
  forwardTo: webUrl,
})

/**
 * What `emulator.createSink` does.
 *
 * @throws {SinkAttachedError} When the emulator has a sink.
 * @throws {OptionsError} When an option can't be used.
 */
export function createSinkFor(emulator: Emulator, options: EmulatorSinkOptions = {}): WebhookSink {
  emulatorSinkOptions.check(options)
  if (emulator.sink) throw new SinkAttachedError(emulator.sink.url)
  const sink = new WebhookSink(sinkOptionsFor(emulator, options))
  emulator.attach(sink, (world) => handOverTo(sink, world, options))
  return sink
}

/** Returns how a sink takes the deliveries of a world. */
function handOverTo(sink: WebhookSink, world: World, options: OwnSinkOptions): HandOver {
  return (request, attempt) => {
    const cause = attempt && causeOf(attempt, world, options)
    return handOver(request, (received) => sink.receive(received, cause))
  }
}

/** Thrown by `createSink` when the emulator has a sink. Code `SVTRAIN_SINK_ATTACHED`. */
export class SinkAttachedError extends EmulatorError {
  override readonly name = 'SinkAttachedError'
  readonly code = 'SVTRAIN_SINK_ATTACHED'
  constructor(url: string) {
    super(
      `Failed to create a sink: this emulator sends to one already (${url}). Use that one, or createWebhookSink() and a webhook of your own that calls it.`,
    )
  }
}

/**
 * Returns the options of a sink for the emulator that sends to it: its clock and journal, its current
 * secrets, and the cause of each delivery. The options of a test take precedence over the rules of the
 * sending webhook.
 */
export function sinkOptionsFor(sender: Sender, options: OwnSinkOptions = {}): SinkOptions {
  return {
    ...options,
    emulator: new SendingWorld(sender),
    causedBy(request) {
      for (const world of [sender, ...sender.worlds]) {
        const attempt = world.webhooks.arriving(request)
        if (attempt) return causeOf(attempt, world, options)
      }
      return undefined
    },
    get secrets() {
      return secretsOf(sender, ({ secret }) => secret)
    },
    get known() {
      return { ...sender.webhooks.parts.secrets }
    },
  }
}

/** A class, because one is created for each delivery: accessors on plain objects are slower. */
class SendingWorld implements SinkWorld {
  readonly journal: World['journal']
  readonly #world: World

  constructor(world: World) {
    this.journal = world.journal
    this.#world = world
  }

  get clock(): World['clock'] {
    return this.#world.clock
  }

  get engine(): World['engine'] {
    return this.#world.engine
  }

  get inFlight(): number {
    const { inFlight, sink, webhooks } = this.#world
    // If the sink itself delays its answer, the delivery waits for the clock.
    return inFlight + (sink?.holding ? 0 : webhooks.inFlight)
  }
}

function causeOf(
  { entry, delivery, at, rule }: AttemptUnderWay,
  world: World,
  options: OwnSinkOptions,
): Cause {
  const { secrets } = world.webhooks.parts
  const { header, encoding, prefix } = rule.signature
  const expected: Expectations = {
    header,
    encoding,
    prefix,
    token: rule.access_token === undefined ? undefined : secrets[rule.access_token],
    secrets: secretsOf(world, ({ name, secret }) => (name === rule.name ? secret : undefined)),
    known: secrets,
    ...definedIn(options),
  }
  return {
    entry: entry.id,
    delivery,
    deliveryId: delivery.id,
    at,
    expected,
    emulator: new SendingWorld(world),
  }
}

/** The secrets of the chosen webhooks, by name. A name whose secret was removed, or never set, has none. */
function secretsOf(
  { webhooks: { parts } }: World,
  chosen: (webhook: WebhookRule) => string | undefined,
): Record<string, string> {
  const names = new Set(parts.webhooks.map(chosen))
  return Object.fromEntries(Object.entries(parts.secrets).filter(([name]) => names.has(name)))
}
