/** One HTTP request that leaves: always a POST. */
export interface OutgoingRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Aborted where nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

export interface Answered {
  readonly status: number
  /** The beginning of what was answered. */
  readonly body: string
}

/**
 * Sends a delivery and reads the beginning of the answer. Follows no redirect. Rejects with the error
 * of the network.
 */
export type Send = (request: OutgoingRequest) => Promise<Answered>

/** So much of an answer is kept; the rest is read by nobody. */
export const EXCERPT = 1000

/** Through a fetch function. */
export function sendBy(fetch: typeof globalThis.fetch): Send {
  return async ({ url, headers, body, signal }) => {
    const init = { method: 'POST', headers, body: body as BodyInit, signal }
    const response = await fetch(url, { ...init, redirect: 'manual' })
    return { status: response.status, body: await beginning(response.body) }
  }
}

/** The first so many bytes, as text. */
export async function beginning(chunks: AsyncIterable<Uint8Array> | null): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of chunks ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length >= EXCERPT) break
  }
  return text.slice(0, EXCERPT)
}

/** The most characters of an answer that a log line shows. */
const LONGEST = 160

/** What a receiver answered, for the end of a line: redacted, on one line, shortened. */
export function answerInOneLine(answer: string, redact: (text: string) => string): string {
  // A secret that is cut in half would not be recognized.
  const line = redact(answer).replaceAll(/\s+/g, ' ').trim()
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST)}…`
}
