export type Loc = readonly (string | number)[]

/** One entry of a 422 response. Keys are in the order of the framework. */
export interface Problem {
  type: string
  loc: (string | number)[]
  msg: string
  input: unknown
  ctx?: Record<string, unknown>
}
