import { isJson } from '../../../base/text/json-text.js'
import { isRecord } from '../../contract/pydantic/record.js'
import { functionOf } from '../chat/tool-function.js'

/** A tool call or a result that does not fit its conversation. */
export interface BrokenCall {
  readonly turn: number
  readonly why: string
}

type Json = Readonly<Record<string, unknown>>

/** The calls of tools of a conversation that have no result yet. */
export class OpenCalls {
  readonly #broken: BrokenCall[]
  #open: Map<string, { turn: number; name: string }> | undefined
  #isResult = false
  readonly #isPart: boolean

  /** @param isPart - Whether the messages begin in the middle of a conversation, so that calls came before. */
  constructor(broken: BrokenCall[], { isPart = false } = {}) {
    this.#broken = broken
    this.#isPart = isPart
  }

  /** Reads a message. Of one that was read before, nothing is reported again. */
  read(message: Json, turn: number, isNew = true): void {
    const { role, tool_call_id: id } = message
    if (role === 'tool') {
      this.#isResult = true
      const isUnknown = typeof id === 'string' && !this.#open?.delete(id)
      if (isUnknown && isNew && !(this.#isPart && !this.#open)) {
        this.#broken.push({ turn, why: `a result for the call ${id}, which nobody made` })
      }
      return
    }
    this.readAnswer(message, turn, isNew)
  }

  /** Reads a message that is not a result. */
  readAnswer(message: Json, turn: number, isNew = true): void {
    // A conversation may end with a call. It has no result, because nobody asks the model again.
    if (this.#open && isNew) this.#reportOpen()
    this.#open = undefined
    this.#isResult = false
    const calls = callsIn(message)
    if (calls.length === 0) return
    if (isNew) this.readArguments(message, turn)
    this.#open = new Map()
    for (const call of calls) {
      const name = String(functionOf(call)['name'])
      if (typeof call['id'] === 'string') this.#open.set(call['id'], { turn, name })
    }
  }

  /** Reports arguments that are not JSON. */
  readArguments(message: Json, turn: number): void {
    for (const call of callsIn(message)) {
      const { name, arguments: args } = functionOf(call)
      if (typeof args === 'string' && !isJson(args)) {
        this.#broken.push({ turn, why: `a call of ${String(name)} whose arguments are not JSON` })
      }
    }
  }

  /** Ends a conversation. If some of its last calls have results, the others lack theirs. */
  end(): void {
    if (this.#isResult) this.#reportOpen()
  }

  #reportOpen(): void {
    for (const { turn, name } of this.#open?.values() ?? []) {
      this.#broken.push({ turn, why: `a call of ${name} without a result` })
    }
  }
}

function callsIn({ tool_calls: calls }: Json): readonly Json[] {
  return Array.isArray(calls) ? calls.filter(isRecord) : NO_CALLS
}

const NO_CALLS: readonly Json[] = []
