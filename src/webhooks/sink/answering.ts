import { wallPause } from '../../base/clock/wall.js'
import { milliseconds } from '../../base/text/duration.js'
import { DISCONNECT, type ApiRequest, type Outcome } from '../../service/contract/exchange.js'
import { ScriptedAnswers, type ScriptedAnswer } from './answers.js'
import type { InspectionResult } from './inspection.js'
import type { ReceivedDelivery } from './received-delivery.js'
import { acknowledgement, responseOf } from './responses.js'
import type { SinkRuntime } from './sink-options.js'
import type { SinkWorld } from './waiting.js'

interface AnsweringParts extends Pick<SinkRuntime, 'forward'> {
  /** Whether deliveries are refused that are not as expected. */
  readonly strict: boolean
  /** Tells who looks at the log of the sink. */
  readonly note: (text: string) => void
}

interface ArrivedDelivery {
  delivery: ReceivedDelivery
  inspected: InspectionResult
  world: SinkWorld | undefined
}

/** Answers deliveries: as a test scripts it, with a refusal, or with the answer of another receiver. */
export class Answering {
  readonly scripts = new ScriptedAnswers()
  readonly #parts: AnsweringParts
  #holding = 0

  constructor(parts: AnsweringParts) {
    this.#parts = parts
  }

  /** How many responses a scripted answer delays at the moment. */
  get holding(): number {
    return this.#holding
  }

  answer(
    request: ApiRequest,
    { delivery, inspected, world }: ArrivedDelivery,
  ): Outcome | Promise<Outcome> {
    const scripted = this.scripts.for(delivery)
    if (scripted) return this.#scripted(scripted, delivery, world)
    const refused = this.#parts.strict || inspected.status === 413
    if (refused && inspected.status !== 200)
      return responseOf(inspected.status, acknowledgement(delivery))
    const forwarded = this.#parts.forward?.(request)
    if (!forwarded) return responseOf(200, acknowledgement(delivery))
    return forwarded.then((outcome) => {
      // The sender gets the answer as well. This is for who looks at the log of the sink.
      if ('status' in outcome && outcome.status >= 400) {
        const { status } = outcome
        const reason = outcome.kind === 'response' ? outcome.reason : undefined
        const why = reason === undefined ? '' : `: ${reason}`
        this.#parts.note(
          `Delivery ${delivery.id} was forwarded, and answered with ${status}${why}.`,
        )
      }
      return outcome
    })
  }

  async #scripted(
    scripted: ScriptedAnswer,
    delivery: ReceivedDelivery,
    world: SinkWorld | undefined,
  ): Promise<Outcome> {
    const delay = milliseconds(scripted.after ?? 0)
    this.#holding++
    if (!world && delay > 0) await wallPause(delay)
    const inTime = (await world?.engine.delayed.wait(delay)) ?? true
    this.#holding--
    if (scripted.drop || !inTime) return DISCONNECT
    const { status = 200, headers, body = acknowledgement(delivery) } = scripted
    return responseOf(status, body, headers)
  }
}
