import { shortened } from '../../base/text/shortened.js'

/** Reads answers of the service, as tolerantly as the client libraries of the service do. */

/**
 * Parses JSON, and NaN and Infinity as Python writes them. Returns undefined for other text.
 */
export function readJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return readLooseJson(text)
  }
}

const STRING_OR_LOOSE = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g
// No service writes this, so no string can be mistaken for such a number.
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

/** Returns the message in an error body. */
export function messageOf(body: string): string | undefined {
  const json = readJson(body)
  const found = json === undefined ? body : messageIn(json.value)
  const text = found?.trim()
  return text === undefined || text === '' ? undefined : shortened(text, LONGEST)
}

/** Returns the message in a parsed error, in each form that the service has. */
export function messageIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return messageIn(value[0])
  if (typeof value !== 'object' || value === null) return undefined
  const { detail, error, message, msg } = value as Record<string, unknown>
  return messageIn(detail ?? error ?? message ?? msg)
}
