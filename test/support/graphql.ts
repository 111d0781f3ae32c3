import type { Emulator } from '../../src/index.js'

export interface GraphqlAnswer {
  readonly status: number
  /** Tests know what they asked for. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any
  readonly errors?: readonly {
    readonly message: string
    readonly path?: readonly (string | number)[]
  }[]
}

/** An API key as the SDK for Python sends it. */
export function basic(key: string): string {
  return `Basic ${btoa(`api:${key}`)}`
}

/** An emulator, and what calls it. */
export interface Caller {
  readonly emulator: Pick<Emulator, 'trainingUrl'>
  readonly fetch: typeof fetch
}

/** An address beside the training API. */
export function besideTraining({ emulator }: Caller, path: string): URL {
  return new URL(path, emulator.trainingUrl)
}

/** Sends a query to the address of the training API, as the SDK for Python does. */
export async function graphql(
  caller: Caller,
  query: string,
  variables: object = {},
  headers: Record<string, string> = {},
): Promise<GraphqlAnswer> {
  const response = await caller.fetch(besideTraining(caller, '/graphql'), {
    method: 'POST',
    headers: { authorization: basic('any-key'), 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  })
  return { status: response.status, ...((await response.json()) as Omit<GraphqlAnswer, 'status'>) }
}
