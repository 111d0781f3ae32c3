import type { Agent } from 'undici'
import { operations } from '../../../src/compose/control-table.js'
import type { Ledger } from '../ledger.js'

export interface Asked {
  /** The values of the path parameters. */
  path?: Readonly<Record<string, string>>
  query?: string
  body?: unknown
  headers?: Readonly<Record<string, string>>
}

/** The addresses of the process. */
export interface Served {
  readonly trainingUrl: string
  readonly inferenceUrl: string
}

/** The error of a call without an answer. */
export class NoAnswer extends Error {}

/** Calls operations by their ids. */
export class Calls {
  readonly #served: Served
  readonly #agent: Agent
  readonly #ledger: Ledger
  /** The number of acknowledged and refused changes. */
  answered = 0
  /** Called after each such answer. */
  heard: () => void = () => {}

  constructor(on: { served: Served; agent: Agent; ledger: Ledger }) {
    this.#served = on.served
    this.#agent = on.agent
    this.#ledger = on.ledger
  }

  /**
   * Calls one operation.
   *
   * @returns The answer, or undefined if the emulator refused the call.
   * @throws {NoAnswer} When there was no complete answer.
   */
  async ask<T>(id: string, asked: Asked = {}): Promise<T | undefined> {
    const row = operations.find((each) => each.id === id)!
    const { path = {}, query = '', body, headers } = asked
    const filled = row.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
      return encodeURIComponent(path[name]!)
    })
    const { trainingUrl, inferenceUrl } = this.#served
    const { statusCode, text } = await this.#send({
      origin: new URL(row.host === 'inference' ? inferenceUrl : trainingUrl).origin,
      path: filled + query,
      method: row.method,
      headers: { authorization: 'Bearer kills', 'content-type': 'application/json', ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    })
    if (row.method !== 'GET') {
      this.answered++
      this.heard()
    }
    if (statusCode >= 500) this.#ledger.find('answers', `${id}: ${statusCode} ${text}`, id)
    if (statusCode >= 300) {
      this.#ledger.count(`refused: ${id}`)
      return undefined
    }
    const answer = text === '' ? {} : (JSON.parse(text) as { errors?: { message: string }[] })
    // A query is answered with 200, also one that is refused.
    if (id === 'platformGraphql') {
      const { operationName } = body as { operationName: string }
      const [error] = answer.errors ?? []
      if (error) {
        this.#ledger.find('answers', `${operationName}: ${error.message}`, id)
        return undefined
      }
      this.#ledger.count(`acknowledged: ${id}.${operationName}`)
    }
    if (row.method !== 'GET') this.#ledger.count(`acknowledged: ${id}`)
    return answer as T
  }

  async #send(
    options: Parameters<Agent['request']>[0],
  ): Promise<{ statusCode: number; text: string }> {
    try {
      const { statusCode, body } = await this.#agent.request(options)
      return { statusCode, text: await body.text() }
    } catch (error) {
      throw new NoAnswer(String(error))
    }
  }
}
