/** A text as a reader of JSON or of URLs reads it, and where its characters stand in the original. */
export interface Reading {
  readonly text: string
  /** Returns where the character at this index begins in the original. */
  readonly originOf: (index: number) => number
}

/** How many escapes inside each other are decoded: JSON in a text of a JSON body, in a query. */
const DEEPEST = 4

/** One character with the escapes of a URL: one to four bytes of UTF-8. Bytes around it need not be valid. */
const PERCENT =
  /%[0-7][\da-fA-F]|%[cdCD][\da-fA-F]%[89abAB][\da-fA-F]|%[eE][\da-fA-F](?:%[89abAB][\da-fA-F]){2}|%[fF][0-7](?:%[89abAB][\da-fA-F]){3}/g
const OF_JSON = /\\(?:u[\da-fA-F]{4}|["'\\/bfnrt])/g
const ESCAPES = new RegExp(`${OF_JSON.source}|${PERCENT.source}`, 'g')

const LETTERS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/**
 * The text itself, and then the text with its escapes decoded: once, twice, and so on. And with those of JSON alone: a
 * `%22` in a value of JSON does not end the value.
 */
export function readingsOf(text: string): Reading[] {
  const whole = { text, originOf: ownIndex }
  const hasBoth = text.includes('%') && text.includes('\\')
  return [whole, ...decodings(whole, ESCAPES), ...(hasBoth ? decodings(whole, OF_JSON) : [])]
}

function decodings(whole: Reading, escapes: RegExp): Reading[] {
  const readings: Reading[] = []
  let reading = decoded(whole, escapes)
  while (reading && readings.length < DEEPEST) {
    readings.push(reading)
    reading = decoded(reading, escapes)
  }
  return readings
}

function ownIndex(index: number): number {
  return index
}

/**
 * A text as it is after one reading: what a reader makes of its escapes, or of those of a URL alone, because the
 * escapes of JSON around it hide its own.
 */
export function decodedTexts(text: string): string[] {
  const forUrl = text.replaceAll(PERCENT, decodedPart)
  return [decoded({ text, originOf: ownIndex }, ESCAPES)?.text ?? text, forUrl]
}

/** A part of a URL without its escapes; as it is, if they are not valid. */
export function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Undefined if the text has no such escapes. */
function decoded({ text, originOf }: Reading, escapes: RegExp): Reading | undefined {
  if (!text.includes('\\') && !text.includes('%')) return undefined
  const pieces: string[] = []
  // Where each character of the result begins in the text, and where the text ends.
  const places = new Uint32Array(text.length + 1)
  let length = 0
  let read = 0
  const copyUntil = (end: number): void => {
    pieces.push(text.slice(read, end))
    while (read < end) places[length++] = read++
  }
  for (const { 0: escape, index } of text.matchAll(escapes)) {
    copyUntil(index)
    const piece = escape.startsWith('%') ? decodedPart(escape) : unescaped(escape)
    pieces.push(piece)
    for (let unit = 0; unit < piece.length; unit++) places[length++] = index + unit
    read = index + escape.length
  }
  if (read === 0) return undefined
  copyUntil(text.length)
  places[length] = text.length
  return { text: pieces.join(''), originOf: (index) => originOf(places[index]!) }
}

function unescaped(escape: string): string {
  const letter = escape[1]!
  if (letter === 'u') return String.fromCharCode(Number.parseInt(escape.slice(2), 16))
  return LETTERS[letter] ?? letter
}
