// Controls of either set (ESC, and U+009B, which some terminals obey like it), line and paragraph
// separators, and the marks that turn the direction of writing.
// eslint-disable-next-line no-control-regex
const STEERING = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** What others wrote must not steer the terminal: control characters are shown, not obeyed. */
export function printable(text: string): string {
  return text.replaceAll(STEERING, escaped)
}

/** The same for a text of ours of several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** One line of JSON in which control characters are escaped, those too that JSON itself allows. */
export function printableJson(value: unknown): string {
  return printable(JSON.stringify(value))
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
