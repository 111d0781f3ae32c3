/** Formats a network error by its innermost cause: `ECONNREFUSED: connect …`. */
export function networkError(error: unknown): string {
  const { code, message } = innermost(error)
  if (code === undefined || message.includes(code)) return message
  return `${code}: ${message}`
}

/** `fetch` wraps the error of the socket. A name with several addresses has an error for each address. */
function innermost(error: unknown): { code: string | undefined; message: string } {
  if (!(error instanceof Error)) return { code: undefined, message: String(error) }
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0])
  if (error.cause instanceof Error) return innermost(error.cause)
  const { code } = error as { code?: unknown }
  return { code: typeof code === 'string' ? code : undefined, message: error.message || error.name }
}
