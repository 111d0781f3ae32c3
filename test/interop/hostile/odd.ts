import type { Draw } from '../../support/draw.js'
import { Fields, Items, Leaf, tree, type Tree } from './tree.js'

/** Values that programs get wrong. */

const DIGITS = '0123456789'

/** An integer in digits, without a zero in front. */
function digits(draw: Draw, count: number): string {
  return draw.text('123456789', 1) + draw.text(DIGITS, count - 1)
}

/** At the edges of what a program can hold: 2^53, 2^63, 2^64, 10^308, 4,300 digits. */
export function extremeNumber(draw: Draw): string {
  const sign = draw.oneOf(['', '', '', '-'])
  return draw.oneOf<() => string>([
    () => sign + draw.oneOf(EDGES),
    () => sign + draw.oneOf(EDGES),
    () => sign + digits(draw, 16 + draw.upTo(20)),
    () => sign + digits(draw, draw.oneOf([300, 308, 309, 310, 400, 1000])),
    () => sign + digits(draw, draw.oneOf([4299, 4300, 4301, 5000])),
    () => sign + draw.oneOf(FLOATS),
    () => sign + draw.oneOf(FLOATS),
    () => `${sign}${digits(draw, 1)}.${draw.text(DIGITS, 1 + draw.upTo(20))}`,
    () =>
      `${sign}${digits(draw, 1)}.${draw.text(DIGITS, 1 + draw.upTo(5))}e${draw.oneOf(['', '+', '-'])}${draw.upTo(330)}`,
    () =>
      `${sign}${digits(draw, 1)}${draw.oneOf(['e', 'E'])}${draw.oneOf(['', '+', '-'])}${draw.upTo(40)}`,
    () => draw.oneOf(['NaN', 'Infinity', '-Infinity']),
  ])()
}

const EDGES = [
  ...beside(2n ** 53n, [-1n, 0n, 1n]),
  ...beside(2n ** 63n, [-1n, 0n, 1n]),
  ...beside(2n ** 64n, [-1n, 0n]),
  '123456789012345678901234567890',
  ...[10n ** 20n, 10n ** 21n, 2n ** 31n].map(String),
]

function beside(edge: bigint, distances: readonly bigint[]): string[] {
  return distances.map((distance) => String(edge + distance))
}

const FLOATS = [
  '0.0',
  '0',
  '1.0',
  '2.0',
  '1e0',
  '1E2',
  '1.50',
  ...[15, 16, 17, 19, 21, 22, 23, 300, 308, 309, 400].map((exponent) => `1e${exponent}`),
  '1.7976931348623157e308',
  '1.7976931348623159e308',
  '5e-324',
  '2e-324',
  ...[4, 5, 6, 7].map((exponent) => `1e-${exponent}`),
  '0.0001',
  '0.00001',
  '9007199254740993.0',
  '9223372036854775807.0',
  '9223372036854775808.0',
  '12345678901234567890.5',
  '0.1000000000000000055511151231257827',
  '4.35',
  '1e00',
  '0e5',
  '0.5e1',
]

/** A text that reads as a number, or nearly so. */
export function numberLike(draw: Draw): string {
  return draw.oneOf<() => string>([
    () => draw.oneOf(NUMBER_TEXTS),
    () => draw.oneOf(NUMBER_TEXTS),
    () => extremeNumber(draw),
    () => draw.oneOf([' ', '\n', '+', '-', '00', '0_', '\u00A0']) + digits(draw, 1 + draw.upTo(2)),
    () =>
      digits(draw, 1 + draw.upTo(3)) +
      draw.oneOf([' ', '.', '.0', '.00', '_', '_0', 'e1', 'f', '%']),
    () => '0'.repeat(draw.oneOf([1, 20, 4299, 5000])) + digits(draw, 1),
  ])()
}

const NUMBER_TEXTS = [
  '1',
  '1.0',
  '1.5',
  '-0',
  '+1',
  '1_000',
  '1__0',
  '_1',
  ' 1 ',
  '１２',
  '٣',
  '1e3',
  '1E+3',
  '1e400',
  'inf',
  '-inf',
  'Infinity',
  'iNfInItY',
  'nan',
  'NaN',
  '0x10',
  '0b1',
  '1,5',
  '1.',
  '.5',
  '.',
  '',
  '1e19',
  '9223372036854775808',
  '9007199254740993',
  'true',
  'on',
  'No',
  'T',
]

const TEXTS = [
  '',
  ' ',
  'a',
  'null',
  'é',
  'e\u0301',
  '漢字',
  '😀',
  '\u0000',
  '\u007F',
  '\u0085',
  '\u2028\u2029',
  '\uFEFF',
  '\uFFFF',
  'line\r\nbreak\ttab',
  '"quoted\\"',
  '</script>',
  '{"a":1}',
  '__proto__',
  'constructor',
  '%s %d {0}',
  'x'.repeat(300),
]

/** Half a pair in an escape: a text that no encoding can write. */
const HALVES = ['"\\ud800"', '"a\\udfffb"', '"\\ude00\\ud83d"', '"\\ud83d\\u0041"']

/** Escapes of what need not be escaped. */
const ESCAPED = ['"\\u0041"', '"\\/"', '"\\ud83d\\ude00"', '"\\u00e9"', '"\\b\\f"', '"\\u007f"']

/** A scalar. A fourth of them are extreme numbers. */
export function scalar(draw: Draw): Tree {
  if (draw.isHit(0.25)) return new Leaf(extremeNumber(draw))
  return draw.oneOf<() => Tree>([
    () => new Leaf(draw.oneOf(['null', 'true', 'false', '0', '1', '-1', '-0', '-0.0', '2.5'])),
    () => new Leaf(draw.oneOf(['null', 'true', 'false', '7', '1.0'])),
    () => tree(numberLike(draw)),
    () => tree(draw.oneOf(TEXTS)),
    () => tree(draw.oneOf(DATES)),
    () => new Leaf(draw.oneOf(draw.isHit(0.2) ? HALVES : ESCAPED)),
  ])()
}

const DATES = [
  '2026-11-23',
  '2026-11-23T04:05:06Z',
  '2026-11-23T04:05',
  '2026-11-23 04:05:06.789+02:00',
  '2026-11-23T24:00:00Z',
  '2026-02-29T00:00:00',
  '2026-11-23T04:05:60Z',
  '1700000000',
  '1700000000000.5',
  '-1',
  '99999999999999999',
  '20261123T040506',
]

/** Keys as hostile as values: those that JavaScript sorts first, and those of its prototypes. */
export function key(draw: Draw): string {
  return draw.oneOf(draw.isHit(0.4) ? INTEGER_KEYS : KEYS)
}

const INTEGER_KEYS = ['0', '1', '10', '2', '007', '4294967294', '4294967295', '-1', '1.0', '１']
const KEYS = [
  '',
  ' ',
  'a',
  'b',
  'x',
  '__proto__',
  'constructor',
  'toString',
  'é',
  '😀',
  'length',
  'A b',
]

/** Any value, most of them scalars. */
export function value(draw: Draw, depth = 2): Tree {
  if (depth === 0 || draw.isHit(0.65)) return scalar(draw)
  const size = draw.upTo(3)
  if (draw.isHit(0.5)) return new Items(Array.from({ length: size }, () => value(draw, depth - 1)))
  return new Fields(Array.from({ length: size }, () => [key(draw), value(draw, depth - 1)]))
}
