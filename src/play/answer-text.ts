/** Reading what the service answers, as forgivingly as the client libraries of the service do. */

/**
 * JSON, and the numbers that Python's own writes and reads beside it. Undefined where it is neither.
 */
export function readJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return readLooseJson(text)
  }
}

const STRING_OR_LOOSE = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g
// No service writes it, so nothing else is taken for one of those numbers.
const MARK = '\u0000svtrain:'

function readLooseJson(text: string): { value: unknown } | undefined {
  const marked = text.replaceAll(STRING_OR_LOOSE, (found) =>
    found.startsWith('"') ? found : JSON.stringify(MARK + found),
  )
  try {
    return {
      value: JSON.parse(marked, (_key, value: unknown) =>
        typeof value === 'string' && value.startsWith(MARK)
          ? Number(value.slice(MARK.length))
          : value,
      ),
    }
  } catch {
    return undefined
  }
}

const LONGEST = 200

/** What an error body says to people. */
export function messageOf(body: string): string | undefined {
  const json = readJson(body)
  const said = json === undefined ? body : told(json.value)
  const text = said?.trim()
  return text === undefined || text === '' ? undefined : shortened(text)
}

function told(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return told(value[0])
  if (typeof value !== 'object' || value === null) return undefined
  const { detail, error, message, msg } = value as Record<string, unknown>
  return told(detail ?? error ?? message ?? msg)
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
