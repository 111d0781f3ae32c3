/** What programs stumble over, in tables. */

const nested = (levels: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** Values that JSON can write, by their names. The first ones are the simplest. */
export const oddJson: Readonly<Record<string, () => unknown>> = {
  null: () => null,
  true: () => true,
  false: () => false,
  zero: () => 0,
  'minus zero': () => -0,
  'minus one': () => -1,
  three: () => 3,
  half: () => 0.5,
  billion: () => 1e9,
  'a million billion': () => 1e15,
  'beyond integers': () => 2 ** 53 + 2,
  'beyond 64 bits': () => 2 ** 64,
  enormous: () => 1e300,
  tiny: () => 5e-324,
  'no text': () => '',
  space: () => ' ',
  'the character 0': () => '\0',
  lines: () => 'a\r\nX-B: c',
  'half a pair': () => '\ud800',
  emoji: () => '👩‍👩‍👧‍👦'.repeat(20),
  'right to left': () => '\u202eabc',
  prototype: () => '__proto__',
  constructor: () => 'constructor',
  'a path': () => '../../etc/passwd',
  'a percent': () => '%00%zz',
  'a template': () => '${alias}{{user}}${',
  stars: () => `${'*a'.repeat(40)}b`,
  braces: () => '{a,b}'.repeat(30),
  exploding: () => '(a+)+$',
  'exploding twice': () => '((a{99}){99}){9}',
  'nested groups': () => '('.repeat(5000),
  'a long duration': () => '99999999999d',
  duration: () => '1h',
  'a short duration': () => '1ms',
  'not a number': () => 'NaN',
  'a number as text': () => '7',
  'a long text': () => 'x'.repeat(5000),
  'a long line of digits': () => '9'.repeat(400),
  'no URL': () => 'http://[::1',
  'another URL': () => 'javascript:alert(1)',
  'no date': () => '2026-02-30T25:61:61Z',
  'a late date': () => '9999-12-31T23:59:59.999Z',
  base64: () => 'e30=',
  'no base64': () => '*=*',
  formula: () => '1/0',
  'a deep formula': () => '('.repeat(2000),
  'an empty list': () => [],
  'an empty map': () => ({}),
  'a list in a list': () => [[]],
  'a list of null': () => [null],
  deep: () => nested(150),
  'very deep': () => nested(1500),
  'many items': () => Array.from({ length: 3000 }, () => 'a'),
  'many keys': () => Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`k${n}`, n])),
  'a prototype': () =>
    JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}'),
}

class Odd {
  readonly #hidden = 1
  get hidden(): number {
    return this.#hidden
  }
}

/** Values that only code can pass, by their names. */
export const oddInCode: Readonly<Record<string, () => unknown>> = {
  'in code: undefined': () => undefined,
  'in code: NaN': () => Number.NaN,
  'in code: Infinity': () => Infinity,
  'in code: -Infinity': () => -Infinity,
  'in code: bigint': () => 2n ** 70n,
  'in code: symbol': () => Symbol('odd'),
  'in code: function': () => () => 1,
  'in code: a circle': () => {
    const circle: Record<string, unknown> = { name: 'circle' }
    circle['self'] = circle
    return circle
  },
  'in code: a circle of lists': () => {
    const circle: unknown[] = []
    circle.push(circle)
    return circle
  },
  'in code: no date': () => new Date(Number.NaN),
  'in code: date': () => new Date(0),
  'in code: map': () => new Map([['name', 'a']]),
  'in code: set': () => new Set(['a']),
  'in code: expression': () => /(a+)+$/,
  'in code: bytes': () => new Uint8Array(20),
  'in code: promise': () => Promise.resolve(1),
  'in code: holes': () => Array.from({ length: 3 }).fill(undefined),
  'in code: no prototype': () => Object.assign(Object.create(null) as object, { name: 'a' }),
  'in code: instance': () => new Odd(),
  'in code: error': () => new Error('odd'),
  'in code: a bigint inside': () => ({ name: 'a', inside: [1n] }),
  'in code: deeper than JSON': () => nested(50_000),
  'in code: text object': () => Object('text') as unknown,
}

/** What stands where a name, an id or a path is expected. */
export const oddNames: readonly string[] = [
  ...Array.from(' %.*0ax\0\ud800💥'),
  '',
  '..',
  '../x',
  '/etc/passwd',
  'a/b',
  'C:\\x',
  'a:b',
  '{a,b}',
  'v0',
  'v1',
  'latest',
  'world-1',
  '%ff',
  '%00',
  '%2e%2e',
  '-1',
  '1e9',
  '1B2M2Y8AsgTpgAmY7PhCfg==',
  '__proto__',
  'constructor',
  'toString',
  'x'.repeat(3000),
]

/** What is put into texts, which parsers of JSON and YAML may stumble over. */
export const scraps: readonly string[] = [
  ...Array.from('{}[],:"\'\\\n\t \0#~='),
  '\uFEFF',
  '\r\n',
  '- ',
  '? ',
  '&a ',
  '*a',
  '*b',
  '<<: *a',
  '!!binary ',
  '!!js/function ',
  '!!set ',
  '!x ',
  '|\n',
  '>-\n',
  '---\n',
  '...\n',
  '%YAML 1.1\n',
  '%TAG ! x\n',
  '.nan',
  '.inf',
  '0x1e',
  '1e400',
  '-1e400',
  '0o7',
  '2026-01-01',
  'null',
  'NaN',
  '9007199254740993',
  '1.0000000000001',
  '['.repeat(20_000),
  '{"a":'.repeat(20_000),
  '- '.repeat(3000),
  '&a [*a, *a]',
  'name: a\n',
  'name: b\n',
  '__proto__: 1\n',
  'extends: a\n',
  '"\\ud800"',
  '${',
  '\ud800',
]
