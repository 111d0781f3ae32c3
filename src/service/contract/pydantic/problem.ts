export type Loc = readonly (string | number)[]

/** What is wrong with a part of a request. */
export interface InputProblem {
  type: string
  loc: (string | number)[]
  msg: string
}

/** One entry of a 422 response. Keys are in the order of the framework. */
export interface Problem extends InputProblem {
  input: unknown
  ctx?: Record<string, unknown>
}
