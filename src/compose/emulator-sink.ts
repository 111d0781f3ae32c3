import type { Emulator } from '../emulator/emulator.js'
import type { WebhookRule } from '../scenario/scenario.js'
import type { Departure } from '../webhooks/sender.js'
import type { Expectations } from '../sink/inspection.js'
import type { Cause, SendersOwn, SinkOptions } from '../sink/sink.js'
import type { SinkWorld } from '../sink/waiting.js'

type World = Pick<Emulator, 'sink' | 'webhooks' | 'clock' | 'engine' | 'journal' | 'inFlight'>
type Sender = World & Pick<Emulator, 'worlds'>

/** What a user may say of the sink of an emulator. */
export type OwnSinkOptions = Omit<SinkOptions, SendersOwn>

/**
 * What a sink needs to know of the emulator that sends to it: its clock and its journal, the secrets
 * that it signs with at that moment, and which attempt a delivery is. What a test demands itself goes
 * before what the sending webhook says.
 */
export function sinkOptionsFor(sender: Sender, demanded: OwnSinkOptions = {}): SinkOptions {
  return {
    ...demanded,
    emulator: new SendingWorld(sender),
    causedBy(request) {
      for (const world of [sender, ...sender.worlds]) {
        const departure = world.webhooks.arriving(request)
        if (departure) return causeOf(departure, world, demanded)
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

/** A class, as one is made for each delivery: see `HappenedEvent` for what accessors cost elsewhere. */
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
    // What waits for the sink's own answer waits for the clock.
    return inFlight + (sink?.holding ? 0 : webhooks.inFlight)
  }
}

function causeOf(
  { entry, delivery, at, rule }: Departure,
  world: World,
  demanded: OwnSinkOptions,
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
    ...demanded,
  }
  return { entry: entry.id, delivery, at, expected, emulator: new SendingWorld(world) }
}

/** Of the webhooks: those secrets that are chosen, by their names. */
function secretsOf(
  { webhooks: { parts } }: World,
  chosen: (webhook: WebhookRule) => string | undefined,
): Record<string, string> {
  const names = parts.webhooks.map(chosen).filter((name) => name !== undefined)
  return Object.fromEntries(names.map((name) => [name, parts.secrets[name]!]))
}
