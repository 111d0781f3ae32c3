import { shortened } from '../../base/text/shortened.js'

/** Reads answers of the service, as tolerantly as the client libraries of the service do. */

/**
 * Parses JSON, and NaN and Infinity as Python writes them. Returns undefined for other text.
 *
 * @param nonFinite - Makes the value of such a number. Default: the number.
 */
export function readJson(
  text: string,
  nonFinite: (number: number) => unknown = (number) => number,
): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return readLooseJson(text, nonFinite)
  }
}

/** Written so that the stack of the search does not grow with a string. */
const STRING_OR_LOOSE = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\bInfinity\b|\bNaN\b/g

function readLooseJson(
  text: string,
  nonFinite: (number: number) => unknown,
): { value: unknown } | undefined {
  // Not in the text, so no string can be mistaken for such a number.
  let mark = 'svtrain:'
  while (text.includes(mark)) mark += ':'
  try {
    const marked = text.replaceAll(STRING_OR_LOOSE, (found) =>
      found.startsWith('"') ? found : JSON.stringify(mark + found),
    )
    return {
      value: JSON.parse(marked, (_key, value: unknown) =>
        typeof value === 'string' && value.startsWith(mark)
          ? nonFinite(Number(value.slice(mark.length)))
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

/** Returns the message in a parsed error, in each form that the service has. None of them is deep. */
export function messageIn(value: unknown, levels = DEEPEST): string | undefined {
  if (typeof value === 'string') return value
  if (levels === 0) return undefined
  if (Array.isArray(value)) return messageIn(value[0], levels - 1)
  if (typeof value !== 'object' || value === null) return undefined
  const { detail, error, errors, message, msg } = value as Record<string, unknown>
  return messageIn(detail ?? error ?? errors ?? message ?? msg, levels - 1)
}

/** How many levels above a message are looked into. */
const DEEPEST = 8
