/**
 * JSON with line breaks and indentation. Its tokens stay as they were sent: parsing would round long numbers
 * and drop repeated keys. Undefined if the text is not JSON. A beginning of JSON is accepted with `cut`.
 */
export function prettyJson(text: string, cut = false): string | undefined {
  if (cut ? !/^\s*[[{]/.test(text) : parsed(text) === undefined) return undefined
  let depth = 0
  let before = ''
  const pretty: string[] = []
  for (const [token] of text.matchAll(TOKEN)) {
    if (/^\s/.test(token)) continue
    const isFirst = before === '[' || before === '{'
    const isEnd = token === '}' || token === ']'
    if (isEnd) depth = Math.max(0, depth - 1)
    if (isFirst !== isEnd || before === ',') pretty.push(newLine(depth))
    pretty.push(token === ':' ? ': ' : token)
    if (token === '[' || token === '{') depth++
    before = token
  }
  return pretty.join('')
}

/** A string, which may be cut off, a punctuation mark, white space, or anything else such as a number. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|[[\]{},:]|\s+|[^\s"[\]{},:]+/gs

function newLine(depth: number): string {
  return `\n${'  '.repeat(depth)}`
}

/** The beginning of a text. It does not end with half a character. */
export function beginningOf(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '')
}

/** The value of JSON, or undefined. */
export function parsed(text: string | null): unknown {
  try {
    return text === null ? undefined : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}
