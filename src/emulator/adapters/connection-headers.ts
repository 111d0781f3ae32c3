/** Headers that belong to one connection. The next connection has its own. */
const OF_ONE_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
]

/** Headers of the next connection that are written anew: they say where it goes, and how long its body is. */
export const OF_NEXT_CONNECTION = ['content-length', 'expect', 'host', 'transfer-encoding'] as const

/**
 * Returns the names of the headers that are not passed on: those of one connection, those that the header `Connection`
 * names, and some more.
 */
export function connectionHeaders(
  connection: string | undefined,
  more: readonly string[],
): ReadonlySet<string> {
  const named = (connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  return new Set([...OF_ONE_CONNECTION, ...named, ...more])
}
