/** Formats a network error by its innermost cause: `ECONNREFUSED: connect …`. */
export function networkError(error: unknown): string {
  const { code, message } = innermost(error)
  if (code === undefined || message.includes(code)) return message
  return `${code}: ${message}`
}

/** `fetch` wraps the error of the socket. A name with several addresses has an error for each address. */
function innermost(error: unknown): { code: string | undefined; message: string } {
  if (!isError(error)) return { code: undefined, message: String(error) }
  const { code, errors } = error as { code?: unknown; errors?: unknown }
  if (Array.isArray(errors) && errors.length > 0) return innermost(errors[0])
  if (isError(error.cause)) return innermost(error.cause)
  return { code: typeof code === 'string' ? code : undefined, message: error.message || error.name }
}

/** Under Jest, errors of Node are not instances of the `Error` that a test sees. */
function isError(value: unknown): value is Error {
  return Object.prototype.toString.call(value) === '[object Error]'
}
