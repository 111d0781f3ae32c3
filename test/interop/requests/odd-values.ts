import type { Draw } from '../../support/draw.js'

/**
 * A value that JavaScript cannot write: `bodyText` puts it into the JSON as it stands. The characters
 * around it are such as no other value has.
 */
export function raw(text: string): string {
  return `\uE000${text}\uE001`
}

/** The JSON of a value, with the texts that `raw` marked inserted unchanged. */
export function bodyText(value: unknown): string {
  return JSON.stringify(value).replaceAll(/"\uE000([^\uE001]*)\uE001"/g, '$1')
}

const STRINGS = ['', ' ', 'x', 'é', '😀', 'a b', '\u0000', 'line\nbreak', 'null', '"', '__proto__']
const PLAIN = [null, true, false, 0, 1, -1, 2, 1.5, -0.5, 100, 101, [], {}, [1], [null], { a: 1 }]
const NUMBERS = [
  '0',
  '-0',
  '1.0',
  '-3.0',
  '1e2',
  '1E-5',
  '1.5e3',
  '2147483648',
  '9007199254740993',
  '-9223372036854775809',
  '123456789012345678901234567890',
  '1e300',
  '5e-324',
  '-0.0',
  '1e0',
  '6e-5',
  '1e16',
  '1e22',
  '1E+19',
  '9223372036854775808.0',
  '9223372036854775807',
  '18446744073709551616',
  '1.7976931348623157e308',
  `1${'0'.repeat(309)}`,
]
/** Keys that JavaScript puts before all others, and keys of its prototypes. */
const KEYS = ['10', '2', '0', '-1', '007', '', 'b', 'a', '__proto__', 'constructor']
/**
 * Half a pair, which no encoding can write, and numbers that no float holds or Python does not read. They decide the
 * whole answer, so they are rare.
 */
const RARE = ['"\\ud83d"', '1e309', `7${'1'.repeat(4300)}`]

/** Any value at all, most of them wrong wherever they stand. */
export function anyValue(draw: Draw): unknown {
  return draw.oneOf<() => unknown>([
    () => draw.oneOf(PLAIN),
    () => draw.oneOf(PLAIN),
    () => draw.oneOf(STRINGS),
    () => raw(draw.oneOf(NUMBERS)),
    () => numberText(draw),
    () => draw.text('abcdefghijklmnopqrstuvwxyz ÄÖ漢字', draw.upTo(12)),
    () => ({ [draw.text('abc', 2)]: draw.oneOf(PLAIN), role: draw.oneOf(STRINGS) }),
    () => [draw.oneOf(PLAIN), draw.oneOf(STRINGS)],
    () => raw(`{${[0, 1, 2].map(() => `"${draw.oneOf(KEYS)}":${draw.oneOf(NUMBERS)}`).join(',')}}`),
    () => raw(draw.oneOf(draw.isHit(0.03) ? RARE : NUMBERS)),
  ])()
}

/** Texts that the framework accepts, or nearly accepts, as a number. */
export function numberText(draw: Draw): string {
  if (draw.isHit(0.4)) return draw.text('0123456789', 1 + draw.upTo(6))
  return draw.text('00123459+-_. eE', 1 + draw.upTo(5))
}

const BOOLEAN_TEXTS =
  'true false True FALSE tRue t f T F yes no y n Y N on off ON 1 0 2 ja nope'.split(' ')

/** Values that the framework converts, or nearly converts, to a type of a schema. */
export function oddFor(type: unknown, format: unknown, draw: Draw): unknown {
  if (draw.isHit(0.35)) return anyValue(draw)
  if (format === 'uuid') return oddUuid(draw)
  if (format === 'date-time') return oddTime(draw)
  if (type === 'integer' || type === 'number') {
    return draw.isHit(0.5) ? numberText(draw) : raw(draw.oneOf(NUMBERS))
  }
  if (type === 'boolean') return draw.isHit(0.7) ? draw.oneOf(BOOLEAN_TEXTS) : draw.upTo(3)
  return anyValue(draw)
}

export const UUID = '0d2f7a1e-5a6b-4c3d-8e9f-000000000001'

function oddUuid(draw: Draw): string {
  const kind = draw.oneOf(['edit', 'edit', 'edit', 'upper', 'bare', 'braces', 'urn', 'short'])
  if (kind === 'upper') return UUID.toUpperCase()
  if (kind === 'bare') return edited(UUID.replaceAll('-', ''), draw, draw.upTo(1))
  if (kind === 'braces') return edited(`{${UUID}}`, draw, draw.upTo(1))
  if (kind === 'urn') return edited(`urn:uuid:${UUID}`, draw, draw.upTo(1))
  if (kind === 'short') return draw.text('0123456789abcdefg-', draw.upTo(40))
  return edited(UUID, draw, 1 + draw.upTo(1))
}

const TIME = '2026-01-01T12:30:45.123456+01:00'

function oddTime(draw: Draw): unknown {
  const kind = draw.oneOf(['edit', 'edit', 'cut', 'number', 'date'])
  if (kind === 'number') return draw.isHit(0.5) ? Math.floor(draw.unit() * 1e13) : numberText(draw)
  if (kind === 'date') return `2026-${draw.text('012', 2)}-${draw.text('0123', 2)}`
  if (kind === 'cut') return TIME.slice(0, draw.upTo(TIME.length))
  return edited(TIME, draw, 1 + draw.upTo(1))
}

/** The text with some characters taken out, put in or replaced. */
function edited(text: string, draw: Draw, edits: number): string {
  let result = text
  for (let edit = 0; edit < edits; edit++) {
    const at = draw.upTo(result.length)
    const put = draw.oneOf(['', draw.text('0123456789abcfgTZ-:.+ {}é', 1)])
    result = result.slice(0, at) + put + result.slice(at + draw.upTo(1))
  }
  return result
}
