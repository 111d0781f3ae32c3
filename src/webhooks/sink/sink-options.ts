import {
  anyFunction,
  anyObject,
  aDuration,
  either,
  aFlag,
  inHeader,
  nonEmptyText,
  Options,
  aSecret,
  aText,
  wholeNumber,
  type Table,
} from '../../base/text/options.js'
import type { ApiRequest, Outcome } from '../../service/contract/exchange.js'
import { knownSecrets, secretsOption } from '../signature/secrets.js'
import { signatureForm } from '../signature/signature.js'
import type { Hmac } from '../signature/verify.js'
import type { Expectations } from './inspection.js'
import type { ReceivedDelivery } from './received-delivery.js'
import type { SinkWorld } from './waiting.js'

/** The options of a sink on every runtime. */
export interface SinkOptions extends Expectations {
  /** Whether to refuse deliveries that are not as expected. Default: false. All are recorded. */
  readonly strict?: boolean | undefined
  /** The emulator that sends to it: the sink follows its clock and writes to its journal. */
  readonly emulator?: SinkWorld | undefined
  /** Returns the cause of a delivery; undefined if its sender is unknown. */
  readonly causedBy?: ((request: ApiRequest) => Cause | undefined) | undefined
  /** The header with the delivery id, which decides what is a duplicate. Default: `webhook-id`. */
  readonly idHeader?: string | undefined
  /** The most deliveries in memory; the latest are kept, with at most 128 MB of bodies. Default: 10,000. */
  readonly capacity?: number | undefined
}

/** The options that an emulator sets for its own sink. */
export type SendersOwn = 'secrets' | 'known' | 'emulator' | 'causedBy'

export const receiversTable: Table<Omit<SinkOptions, SendersOwn>> = {
  ...signatureForm.table,
  header: nonEmptyText,
  token: inHeader(aSecret),
  contentType: either((value) => value === false, aText),
  strict: aFlag,
  idHeader: nonEmptyText,
  capacity: wholeNumber({ least: 1 }),
}

export const sinkTable: Table<SinkOptions> = {
  ...receiversTable,
  secrets: secretsOption,
  known: knownSecrets,
  emulator: anyObject,
  causedBy: anyFunction,
}

/** What caused a delivery, for a sink that knows the sender. */
export interface Cause {
  /** The id of the journal entry of the delivery, or of the event. */
  readonly entry?: number | undefined
  /** The sender's own record, the same object for each attempt. It decides what is a duplicate. */
  readonly delivery?: object | undefined
  /** The id of that record. */
  readonly deliveryId?: string | undefined
  /** When the event happened, in milliseconds since the epoch, on the clock that the sink follows. */
  readonly at: number
  /** What this sender's deliveries must look like. Default: the options of the sink. */
  readonly expected?: Expectations | undefined
  /** The world that sends, if several send to one sink: the sink uses its clock and its journal. */
  readonly emulator?: SinkWorld | undefined
}

/** What a sink gets from what it runs on: Node or a browser. */
export interface SinkRuntime {
  readonly hmac?: Hmac | undefined
  /** Saves a delivery. It is acknowledged only after that. */
  readonly save?: ((delivery: ReceivedDelivery) => Promise<void>) | undefined
  /** How many deliveries an earlier sink saved. Ids continue after them. */
  readonly savedCount?: number | undefined
  /** Forwards a delivery. The sink answers what it gets there. */
  readonly forward?: ((request: ApiRequest) => Promise<Outcome>) | undefined
  /** Shows an error of the sink to people. */
  readonly warn: (text: string) => void
}

/** The options of `sink.waitFor`. */
export interface DeliveryWaitOptions {
  /** How many deliveries must match. Default: 1. */
  readonly count?: number
  /**
   * How long to wait: `2s`, or milliseconds, on the emulator's clock if there is one. Default: `4s` on a
   * real clock, `1h` on a virtual one.
   */
  readonly timeout?: string | number
}

export const deliveryWaitOptions = new Options<DeliveryWaitOptions>('sink.waitFor', {
  count: wholeNumber({ least: 1 }),
  timeout: aDuration,
})

/** The options of `sink.expectNone`. */
export interface ExpectNoneOptions {
  /**
   * How long no delivery may match: `1m`, or milliseconds, on the emulator's clock if there is one.
   * Default: 0.
   */
  readonly within?: string | number
}

export const expectNoneOptions = new Options<ExpectNoneOptions>('sink.expectNone', {
  within: aDuration,
})
