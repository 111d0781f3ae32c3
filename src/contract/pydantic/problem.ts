export type Loc = readonly (string | number)[]

/** One entry of a 422 answer. Keys stand in the order in which the framework prints them. */
export interface Problem {
  type: string
  loc: (string | number)[]
  msg: string
  input: unknown
  ctx?: Record<string, unknown>
}
