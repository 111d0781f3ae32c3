/** How many lists and objects of a JSON text are inside of each other. It counts no further than one more than `enough`. */
export function levelsOf(text: string, enough = Infinity): number {
  let level = 0
  let most = 0
  for (let at = 0; at < text.length && most <= enough; at++) {
    const sign = text.charCodeAt(at)
    if (sign === QUOTE) at = endOfString(text, at)
    else if (sign === LIST || sign === OBJECT) most = Math.max(most, ++level)
    else if (sign === LIST_END || sign === OBJECT_END) level--
  }
  return most
}

/**
 * Where the quote is that ends a string; the end of the text if there is none. Goes from quote to quote, because most of a
 * text is in strings.
 *
 * @param start Where the string begins, with either kind of quote.
 */
export function endOfString(text: string, start: number): number {
  const quote = text[start]!
  for (let end = text.indexOf(quote, start + 1); end !== -1; end = text.indexOf(quote, end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}

const [QUOTE, LIST, LIST_END, OBJECT, OBJECT_END] = [0x22, 0x5b, 0x5d, 0x7b, 0x7d]
