import { Agent } from 'undici'
import type { Ledger } from './ledger.js'
import type { Stamp, World } from './world.js'
import { jsonHeaders } from '../support/api-client.js'

export interface Asked {
  body?: unknown
  /** The expected statuses without faults. Default: 200. */
  expected?: readonly number[]
  /** The time until the client gives up, in milliseconds. */
  patience?: number
  host?: 'training' | 'inference'
  /** Returns the answer as text. */
  asText?: boolean
}

export interface Answer {
  readonly status: number
  // A missing field is a finding.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
  readonly stamp: Stamp
  /** Whether there were no faults from the request to the answer. */
  readonly calm: boolean
  /** Whether it was the same world from the request to the answer. */
  readonly same: boolean
}

/** The longest time of an answer without faults on the slowest machine. */
const LONG = 60_000

/** The connection of a client to the emulator. Makes calls and checks the answers. */
export class Line {
  readonly world: World
  readonly who: string
  readonly #ledger: Ledger
  readonly #agent: Agent
  readonly #ended: AbortSignal

  constructor(on: { world: World; who: string; ledger: Ledger; agent: Agent; ended: AbortSignal }) {
    this.world = on.world
    this.who = on.who
    this.#ledger = on.ledger
    this.#agent = on.agent
    this.#ended = on.ended
  }

  /** Undefined without a readable answer. */
  async ask(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    asked: Asked = {},
  ): Promise<Answer | undefined> {
    const { expected = [200], host = 'training', asText = false } = asked
    const { stamp } = this.world
    const patience = asked.patience ?? (stamp.calm ? LONG : 700)
    this.#ledger.count('requests')
    const signal = AbortSignal.any([this.#ended, AbortSignal.timeout(patience)])
    const call = `${method} ${path.replaceAll(/[\da-f]{8}-[\da-f-]+/g, '{id}')}`
    const { trainingUrl, inferenceUrl, key } = this.world.address
    const base = new URL(host === 'training' ? trainingUrl : inferenceUrl)
    const tell = (text: string): void => this.#ledger.find('answers', `${call}: ${text}`, this.who)
    try {
      const answer = await this.#agent.request({
        origin: base.origin,
        path: base.pathname + path,
        method,
        headers: jsonHeaders(key),
        body: asked.body === undefined ? null : JSON.stringify(asked.body),
        signal,
      })
      const status = answer.statusCode
      const text = await answer.body.text()
      this.#ledger.count(`answered ${status}`)
      if (status === 500) tell(`answered 500 ${text.slice(0, 300)}`)
      const calm = this.world.calmSince(stamp)
      const body = asText ? text : readJson(text)
      if (calm && !expected.includes(status)) tell(`answered ${status} ${text.slice(0, 200)}`)
      else if (calm && body === undefined) tell(`answered ${status} with no JSON`)
      return { status, body, stamp, calm, same: this.world.sameSince(stamp) }
    } catch (error) {
      this.#ledger.count('lost answers')
      const gaveUp = this.#ended.aborted || asked.patience !== undefined
      if (!gaveUp && this.world.calmSince(stamp)) tell(`no answer: ${String(error)}`)
      return undefined
    }
  }
}

function readJson(text: string): unknown {
  try {
    // Metrics such as NaN are written as Python writes them.
    return JSON.parse(text.replaceAll(/(?<=[:,[]\s*)-?(?:NaN|Infinity)(?=\s*[,\]}])/g, 'null'))
  } catch {
    return undefined
  }
}

/** The connections of the clients of a round. */
export function newAgent(): Agent {
  return new Agent({ connections: 400, headersTimeout: 0, bodyTimeout: 0 })
}
