import { ApiError } from '../contract/errors.js'
import type { Outcome } from '../contract/exchange.js'

/** A JSON value, which is answered with 200, a refusal, or another kind of answer. */
export type Result = ResultOf<JsonValue>

// Interfaces of the contract have no index signature, so any object counts as JSON.
export type JsonValue = object | string | number | boolean | null

/** The result of a row whose `response` has this type. */
export type ResultOf<Answer> = ApiError | OtherResult<Answer> | Answer

/** Makes a row an error if `run` returns fields that `response` does not have. */
export type OnlyDeclared<Given, Answer> = [UndeclaredFields<AnswerBody<Given>, Answer>] extends [
  never,
]
  ? unknown
  : { readonly run: { readonly undeclared: UndeclaredFields<AnswerBody<Given>, Answer> } }

/** The JSON in a result. */
type AnswerBody<Given> = Given extends OtherResult<infer Body> ? Body : Exclude<Given, ApiError>

/**
 * The names of fields that an answer has and its schema does not. TypeScript itself allows them in what `run` returns.
 * An answer of the type of its schema is not searched, because such a type may contain itself.
 */
type UndeclaredFields<Given, Answer> = [Answer] extends [Given]
  ? never
  : unknown extends Answer
    ? never
    : Given extends readonly (infer Item)[]
      ? UndeclaredFields<Item, Extract<Answer, readonly unknown[]>[number]>
      : Given extends object
        ? {
            [Key in keyof Given]-?: Key extends KeyOf<Answer>
              ? UndeclaredFields<Given[Key], FieldOf<Answer, Key>>
              : Key
          }[keyof Given]
        : never

/** The keys of all objects of a union. */
type KeyOf<Union> = Union extends object ? keyof Union : never

/** The values that a key has in the objects of a union. */
type FieldOf<Union, Key> = Union extends object
  ? Key extends keyof Union
    ? Union[Key]
    : never
  : never

/** A result that is not a JSON value to answer with 200. `Answer` is the JSON in it. */
abstract class OtherResult<out Answer = never> {
  /** Only for the compiler: no other object passes as one. */
  declare protected readonly answer: Answer
}

/** A JSON answer with its own status and headers. Without `body`, the answer is empty. */
export class Reply<out Answer = unknown> extends OtherResult<Answer> {
  readonly status: number
  readonly body: Answer
  readonly headers: Readonly<Record<string, string>>
  constructor(status: number, body: Answer, headers: Readonly<Record<string, string>> = {}) {
    super()
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/**
 * A JSON answer that is written already: lists of events, which is faster, and numbers that `JSON.stringify` cannot
 * write. These are a bigint that a client sent, and NaN or Infinity if a scenario says so.
 */
export class WrittenReply extends OtherResult {
  readonly json: string
  constructor(json: string) {
    super()
    this.json = json
  }
}

/** A text answer. Without a content type among `headers`, it is plain text. */
export class TextReply extends OtherResult {
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
  constructor(text: string, headers: Readonly<Record<string, string>> = {}) {
    super()
    this.text = text
    this.headers = headers
  }
}

/** An answer of server-sent events. */
export class EventStream extends OtherResult {
  readonly chunks: AsyncIterable<string> | Iterable<string>
  constructor(chunks: AsyncIterable<string> | Iterable<string>) {
    super()
    this.chunks = chunks
  }
}

/** An answer that is not encoded: a server of another protocol wrote it. */
export class RawReply extends OtherResult {
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    super()
    this.outcome = outcome
  }
}

/** No answer, because the world ended before. */
export class NoAnswer extends OtherResult {
  readonly reason = 'the world ended'
}

/** Whether a result is a JSON value, which is answered with 200. */
export function isJsonAnswer(result: Result): boolean {
  return !(result instanceof OtherResult || result instanceof ApiError)
}
