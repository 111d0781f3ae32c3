import { createHandler } from '../service/api/handle.js'
import { encode } from '../service/api/encode.js'
import { receiveUpload } from '../service/api/platform/content-rows.js'
import type { ContentReceiver, ReceiveContent } from '../service/contract/content.js'
import { apiErrors } from '../service/contract/errors.js'
import type { ApiRequest, Host, Outcome } from '../service/contract/exchange.js'
import type { ContractVersion } from '../service/contract/versions.js'
import { Unavailable, type OpenTrainingData } from '../service/engine/jobs/training-data.js'
import type { Journal } from '../service/engine/journal.js'
import type { PlayedWorld } from './played-world.js'

interface AnsweringParts {
  readonly journal: Journal
  readonly basePath: string
  readonly contract: ContractVersion
  readonly urlOf: (host: Host) => string
  /** Default: training data comes from artifacts only. */
  readonly openTrainingData: OpenTrainingData | undefined
}

type Answer = Outcome | Promise<Outcome>

/** Answers the requests to a world. */
export class Answering {
  readonly #world: PlayedWorld
  readonly #journal: Journal
  readonly #basePath: string
  readonly #handle: (host: Host, request: ApiRequest) => Answer
  #inFlight = 0

  constructor(world: PlayedWorld, parts: AnsweringParts) {
    const { journal, basePath, contract, urlOf, openTrainingData = refuseFiles } = parts
    this.#world = world
    this.#journal = journal
    this.#basePath = basePath
    this.#handle = createHandler({
      engine: () => world.engine,
      basePath,
      contract,
      contents: () => world.contents,
      urlOf,
      openTrainingData,
      // A world that is not ready yet is saved below, before the answer leaves.
      acknowledged(outcome, host) {
        const answer = world.acknowledged(outcome, host)
        return answer instanceof Promise ? outcome : answer
      },
    })
  }

  /** How many requests are being answered. Those that hang are not counted. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** The answer of the emulated APIs. */
  answer(host: Host, request: ApiRequest): Answer {
    const outcome = this.#handle(host, request)
    if (outcome instanceof Promise) {
      this.#inFlight++
      const over = (): number => this.#inFlight--
      outcome.then(over, over)
    }
    return this.#world.acknowledged(outcome, host)
  }

  /** The answer of the control API. The stream of a world outlives its requests, so its errors are reported here. */
  controlled(answered: Answer, host: Host, request: ApiRequest): Answer {
    if (answered instanceof Promise) {
      return answered.then((outcome) => this.controlled(outcome, host, request))
    }
    const outcome =
      answered.kind === 'stream'
        ? { ...answered, chunks: this.#journal.watched(answered.chunks, request) }
        : answered
    return this.#world.acknowledged(outcome, host)
  }

  /** Takes the content of an upload as it arrives. */
  receive(...[host, request]: Parameters<ReceiveContent>): ContentReceiver | undefined {
    if (host !== 'training' || request.method !== 'PUT') return undefined
    const path = request.path.slice(this.#basePath.length)
    const { engine, contents } = this.#world
    return receiveUpload({ engine, contents }, { ...request, path })
  }

  /** An answer that never throws: a failure inside is a 500. */
  guarded(host: Host, { method, path }: ApiRequest, answer: () => Answer): Answer {
    const failed = (error: unknown): Outcome => {
      this.#journal.background.report(`answer ${method} ${path}`, error)
      return encode(apiErrors.internal(host), host)
    }
    try {
      const outcome = answer()
      return outcome instanceof Promise ? outcome.catch(failed) : outcome
    } catch (error) {
      return failed(error)
    }
  }
}

const refuseFiles: OpenTrainingData = (url) =>
  Promise.resolve(new Unavailable(`${url} cannot be opened in this environment`))
