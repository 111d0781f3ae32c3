/** The first `most` characters of a text, or one less: a pair of units that are one character stays whole. */
export function beginningOf(text: string, most: number): string {
  const start = text.slice(0, most)
  return start.length < text.length ? start.replace(/[\uD800-\uDBFF]$/, '') : start
}

/** Cuts off what a text has beyond `most` characters. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${beginningOf(text, most)}…`
}

/** Cuts a text at a space if it has one, so that it has at most `most` characters with the mark of the cut. */
export function shortenedAtSpace(text: string, most: number): string {
  if (text.length <= most) return text
  const whole = /^.*\S(?=\s)/s.exec(text.slice(0, most - 1))?.[0]
  return whole === undefined ? shortened(text, most - 1) : `${whole} …`
}

/** Writes a value as JSON in about `most` characters, for a message. */
export function shortJson(value: unknown, most = 80): string {
  return shortened(JSON.stringify(value), most)
}
