const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\r': '&#13;',
}

/** Escapes a text for elements and for quoted attributes of HTML. Characters that hide or reorder text become visible. */
export function escapeHtml(text: string): string {
  return escapeInvisible(text.replaceAll(/[&<>"'\r]/g, (character) => ENTITIES[character]!))
}

/** Writes characters that hide or reorder text as JSON does: `\u202e`. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, escapeUnit)
}

/** Control characters without tab and line ends, characters that reorder text, and halves of pairs. */
const INVISIBLE =
  // The pattern lists control characters on purpose.
  // oxlint-disable-next-line no-control-regex
  /[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Writes a UTF-16 unit as JSON does: `\u202e`. */
export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

// The C0 and C1 control characters (some terminals treat U+009B like ESC), line and paragraph separators,
// and the marks that change the direction of writing.
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Escapes control characters, so that text from clients and files cannot control a terminal, or look like another line. */
export function printable(text: string): string {
  return text.replaceAll(CONTROL, escapeUnit)
}

/** Escapes the control characters in each line of a text. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** One line of JSON, or several with that many spaces. Also escapes the control characters that JSON allows. */
export function printableJson(value: unknown, spaces?: number): string {
  return printableLines(JSON.stringify(value, null, spaces))
}

/** Escapes a text for elements and attributes of XML, and removes what XML does not allow. */
export function escapeXml(text: string): string {
  return text
    .replaceAll(COLORS, '')
    .replaceAll(NOT_IN_XML, '\ufffd')
    .replaceAll(/[&<>"\r]/g, (character) => ENTITIES[character]!)
    .replaceAll(INVISIBLE, (character) => `&#${character.charCodeAt(0)};`)
}

// XML 1.0 allows no other control characters, not even as escapes. Half a surrogate pair is not allowed either.
const NOT_IN_XML =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
// eslint-disable-next-line no-control-regex
const COLORS = /\u001b\[[\d;]*m/g
