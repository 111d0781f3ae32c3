import { anything, checkArgument, recordOf, valueKind } from '../../../base/text/options.js'
import type { Operation } from '../../../service/api/operation.js'
import type { ControlOperation } from '../row.js'
import type { ControlRow } from '../table.js'

/** `/_emulator/jobs/{job_id}` → `/jobs/{job_id}` */
type Under<Path> = Path extends `/_emulator${infer Rest}` ? Rest : never

/** Rows of the control API by method and path: `GET /jobs/{job_id}`. */
type Rows<Row extends Operation> = {
  [R in Row as `${R['method']} ${Under<R['path']>}`]: R
}

/**
 * A call of the control API by method and path, such as `GET /jobs/{job_id}`.
 *
 * @typeParam Row The rows that can be called. Default: those that no tool brings.
 */
export type Route<Row extends Operation = ControlRow> = keyof Rows<Row>

type Parts<R> =
  R extends ControlOperation<
    string,
    infer _Verb,
    string,
    infer Params,
    infer _Query,
    infer Body,
    infer Answer,
    infer SentQuery,
    infer SentBody
  >
    ? {
        params: Params
        query: SentQuery
        body: unknown extends SentBody ? Body : SentBody
        answer: Answer
      }
    : never

/** What a call answers. */
export type AnswerOf<R extends Route<Row>, Row extends Operation = ControlRow> = Parts<
  Rows<Row>[R]
>['answer']

/** The query parameters of a call. */
export type QueryOf<R extends Route<Row>, Row extends Operation = ControlRow> = Parts<
  Rows<Row>[R]
>['query']

/** The body of a call. */
export type BodyOf<R extends Route<Row>, Row extends Operation = ControlRow> = Parts<
  Rows<Row>[R]
>['body']

/** One part of a request: absent if the row takes none, optional if every field is optional. */
type Part<Name extends string, T> = unknown extends T
  ? unknown
  : object extends T
    ? { readonly [N in Name]?: T }
    : { readonly [N in Name]: T }

/** What is passed with a call: the parameters of its path, its query and its body. */
export type SentWith<R extends Route<Row>, Row extends Operation = ControlRow> = Part<
  'params',
  Parts<Rows<Row>[R]>['params']
> &
  Part<'query', QueryOf<R, Row>> &
  Part<'body', BodyOf<R, Row>>

/** Nothing needs to be passed with a call whose parts are all optional. */
type CallArguments<R extends Route<Row>, Row extends Operation> =
  object extends SentWith<R, Row> ? [sent?: SentWith<R, Row>] : [sent: SentWith<R, Row>]

/** Calls the control API. Rejects if the call is refused, or if nothing answers. */
export interface Call<Row extends Operation = ControlRow> {
  <R extends Route<Row>>(route: R, ...sent: CallArguments<R, Row>): Promise<AnswerOf<R, Row>>
}

/** The header of all answers of the control API, with the version of the emulator. Those of other servers lack it. */
export const EMULATOR_HEADER = 'svtrain-emulator'

/** The parts of a request, without their types. */
interface LooseSent {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: object
  readonly body?: unknown
}

export interface PlainRequest {
  readonly method: string
  /** Below the root of the control API, with its query: `/jobs?limit=5`. */
  readonly path: string
  /** JSON. `JSON.stringify` says that it always returns a text, but without a body this is undefined. */
  readonly body: string
}

/** What stays one part of a path: the server of the API decodes a path before it looks for the row. */
const pathPart = valueKind('a part of a path: not empty, no dots alone, no slash', (value) => {
  return /^(?!\.{1,2}$)[^/\ud800-\udfff]+$/u.test(String(value)) && value !== undefined
})

/** A text or a list would be spread: each of its characters or items would be a parameter. */
const parameters = recordOf(anything)

/**
 * Joins what a method takes in two objects.
 *
 * @param of The method, such as `requests.wait`.
 * @throws {OptionsError} When one of them is not an object.
 */
export function joined<One extends object, Other extends object>(
  of: string,
  one: One,
  other: Other,
): One & Other {
  for (const value of [one, other]) checkArgument(of, { name: 'argument', value, kind: parameters })
  return { ...one, ...other }
}

/**
 * Writes a call as a request.
 *
 * @throws {OptionsError} When a parameter would lead to another path, or the query or the body is not an object.
 */
export function requestOf(
  route: string,
  { params = {}, query = {}, body }: LooseSent = {},
): PlainRequest {
  const [method, pattern] = route.split(' ') as [string, string]
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const { [name]: value } = params
    checkArgument(route, { name, value, kind: pathPart })
    return encodeURIComponent(String(value))
  })
  for (const [name, value] of Object.entries({ query, body })) {
    if (value !== undefined) checkArgument(route, { name, value, kind: parameters })
  }
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = `${new URLSearchParams(given)}`
  return { method, path: path + (search && `?${search}`), body: JSON.stringify(body) }
}
