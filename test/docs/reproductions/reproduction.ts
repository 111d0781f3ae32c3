/** Makes a symptom of docs/how-to/troubleshooting.md happen, and then applies the fix of its row. */
export type Reproduction = () => Promise<Seen>

export interface Seen {
  /** What the user reads: output, an error, a log, an answer. */
  said: string
  /** Whether all went well after the fix. */
  isFixed: boolean
}

/** Reproductions by the first quotation of their row. */
export type Reproductions = Record<string, Reproduction>

/** Returns the name, the message and the cause of the error that a call ends with. */
export async function errorOf(call: () => unknown): Promise<string> {
  try {
    await call()
  } catch (error) {
    const { name, message, cause } = error as Error
    return `${name}: ${message} ${cause instanceof Error ? cause.message : ''}`
  }
  return 'no error'
}

/** Returns what a response says, with its status in front: the body, and its `detail` as a log shows it. */
export async function answerOf(response: Response | Promise<Response>): Promise<string> {
  const answer = await response
  return readable(`${answer.status} ${await answer.text()}`)
}

/** Adds the `detail` of a JSON body, because a body escapes its quotation marks. */
export function readable(answer: string): string {
  const { detail } = JSON.parse(/\{.*\}/.exec(answer)?.[0] ?? '{}') as { detail?: unknown }
  return typeof detail === 'string' ? `${answer}\n${detail}` : answer
}
