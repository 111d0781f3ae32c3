import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { secretFieldsIn } from '../../../../src/base/text/redaction/named-values.js'
import { Redactor } from '../../../../src/base/text/redaction/redact.js'
import {
  hiddenHeader,
  withoutCredentials,
  secretsInHeader,
  secretsInUrl,
} from '../../../../src/base/text/redaction/credentials.js'
import { HIDDEN } from '../../../../src/base/text/redaction/hidden.js'
import { isSecretName } from '../../../../src/base/text/redaction/secret-names.js'

describe('a redactor', () => {
  it('replaces short secrets where they stand as a word, and longer ones everywhere', () => {
    const redactor = new Redactor({ secrets: ['one', 'key-of-ann'] })
    expect(redactor.redact('{"name":"one","phone":"one-1"} xkey-of-annx')).toBe(
      `{"name":"${HIDDEN}","phone":"${HIDDEN}-1"} x${HIDDEN}x`,
    )
  })

  it.each([
    ['JSON', String.raw`"a\"b/\\c"`, 'a"b/\\c'],
    ['JSON with escaped slashes', String.raw`"a\"b\/\\c"`, 'a"b/\\c'],
    ['JSON of Python', String.raw`"cl\u00e9-\ud83d\ude00"`, 'clé-😀'],
    ['JSON with other escapes', String.raw`"\u0063l\u00E9-😀"`, 'clé-😀'],
    ['a URL', 'key=cl%C3%A9-%f0%9f%98%80&x', 'clé-😀'],
  ])('finds a key as it is written in %s', (_, text, key) => {
    const redacted = new Redactor({ secrets: [key] }).redact(text)
    expect(redacted.replace(HIDDEN, '')).toMatch(/^(?:""|key=&x)$/)
  })

  it('finds a short key after an escape', () => {
    const redactor = new Redactor({ secrets: ['one'] })
    for (const before of [String.raw`\n`, String.raw`\u000a`, '%20', '_', '.']) {
      expect(redactor.redact(`${before}one`)).toBe(before + HIDDEN)
    }
  })

  it('finds the end of a value in JSON inside of JSON that has escapes of a URL', () => {
    const text = JSON.stringify({ sent: JSON.stringify({ api_key: 'begin%22middle%5Cend' }) })
    const hidden = JSON.stringify({ sent: JSON.stringify({ api_key: HIDDEN }) })
    expect(new Redactor().redact(text)).toBe(hidden)
  })

  it('replaces only once, so that a key can be a part of the replacement', () => {
    const redactor = new Redactor({ secrets: ['shown', 'not', 'abcdefg', 'abcdefghi'] })
    expect(redactor.redact('abcdefghi')).toBe(HIDDEN)
    expect(redactor.redact('not shown')).toBe(`${HIDDEN} ${HIDDEN}`)
    expect(redactor.redact(HIDDEN)).toBe(HIDDEN)
  })

  it('removes the beginning of a key at the end of a cut text', () => {
    const redactor = new Redactor({ secrets: ['a"long-secret', 'abc'] })
    const shown = (text: string): string => redactor.redact(text, { isCut: true })
    expect(shown('text a"long-se')).toBe('text ')
    expect(shown(String.raw`text a\"long-se`)).toBe('text ')
    expect(shown('text a"long-secret')).toBe(`text ${HIDDEN}`)
    expect(shown('text')).toBe('text')
  })

  it('never leaves a secret in any JSON', () => {
    const anyText = fc.string({ unit: 'grapheme', maxLength: 12 })
    const anySecret = fc.string({ unit: 'grapheme', minLength: 8, maxLength: 20 })
    fc.assert(
      fc.property(anyText, anySecret, anyText, (before, secret, after) => {
        const json = JSON.stringify({ [before]: `${before}${secret}${after}` })
        const redacted = new Redactor({ secrets: [secret] }).redact(json)
        expect(redacted).toContain(HIDDEN)
      }),
    )
  })

  it('replaces nothing without secrets, and ignores empty ones', () => {
    expect(new Redactor({ secrets: [''] }).redact('text')).toBe('text')
  })

  it.each([
    ['names of parts of a form, without an end of a line', 'name="a" '],
    ['parts of a form, without an empty line', 'name="token"\n'],
    ['objects inside each other', '{"secret":'],
    ['values of objects inside each other', '{"secret":{"a":"x",'],
    ['log probabilities', `"logprob":${' '.repeat(1000)}${'"token":"x",'.repeat(85)}`],
    ['replacements', '?token=[not shown]'],
    ['parameters beside replacements', '[not shown]&token=abcd'],
    ['schemes of addresses', `${'a'.repeat(31)}://x:`],
    ['letters before an address', 'a'],
    ['backslashes', '"token":"\\'],
    ['escapes of escapes', '%2541%255c'],
    ['a secret that repeats itself', 'kkkkkkkk'],
  ])('reads a million characters in a moment: %s', (_, part) => {
    const secrets = ['k'.repeat(100_000), 'k'.repeat(70)]
    const text = `${part.repeat(1_000_000 / part.length)}://`
    const redactor = new Redactor({ secrets })
    expect(redactor.redact(text, { isCut: true }).length).toBeGreaterThan(0)
    expect(secretFieldsIn(text).join('').length).toBeLessThanOrEqual(text.length)
  })

  it.each([
    ['ordinary words', 'some words and sk-proj-0 in a line. '],
    ['what all keys begin with', 'sk-proj-'],
    ['parts of a key', 'sk-proj-00007-kkkkkkkkkk'],
  ])('looks at a text as often, however many secrets there are: %s', (_, part) => {
    const text = part.repeat(20_000 / part.length)
    const redactorOf = (count: number): Redactor => {
      const key = (_each: unknown, index: number) =>
        `sk-proj-${String(index).padStart(5, '0')}-${'k'.repeat(80)}`
      return new Redactor({ secrets: Array.from({ length: count }, key) })
    }
    const [few, many] = [redactorOf(50), redactorOf(1000)]
    const once = looksOf(() => few.redact(text))
    expect(once).toBeGreaterThan(text.length)
    expect(looksOf(() => few.redact(text + text))).toBeLessThan(2.1 * once)
    expect(looksOf(() => many.redact(text))).toBeLessThan(2 * once)
  })

  it('hides secrets that overlap', () => {
    const redactor = new Redactor({ secrets: ['abcdefgh1234', '1234efghijkl', 'ijklmnopqrst'] })
    expect(redactor.redact('abcdefgh1234efghijklmnopqrst.')).toBe(`${HIDDEN}.`)
  })

  it('finds a key after bytes that are no text', () => {
    const redactor = new Redactor({ secrets: ['clé-😀-key'] })
    expect(redactor.redact('/%FF%63l%C3%A9%2D%F0%9F%98%80-key%C3')).toBe(`/%FF${HIDDEN}%C3`)
  })

  it.each([94, 95, 96])('finds base64 of a long key with a wide character at %i', (length) => {
    const key = `${'k'.repeat(length)}😀${'e'.repeat(50)}`
    const text = Buffer.from(`ab${key}`).toString('base64')
    expect(new Redactor({ secrets: [key] }).redact(text)).toBe(`YWJ${HIDDEN}`)
  })

  it.each([
    ['password=hunter2&a=b', `password=${HIDDEN}&a=b`],
    ['client_secret=abc', `client_secret=${HIDDEN}`],
    ['{"api_keys": ["a", "b"], "n": 1}', `{"api_keys": ["${HIDDEN}", "${HIDDEN}"], "n": 1}`],
    ['{"secrets": {"A": "a", "B": 12}}', `{"secrets": {"A": "${HIDDEN}", "B": "${HIDDEN}"}}`],
    ['{"secret": {"a": {"token": 1}}, "token": 2}', `{"secret": {"a": {"token": "${HIDDEN}"}}, "token": "${HIDDEN}"}`], // oxfmt-ignore
    ['see //h and ftp://ann:p:a@ss@h/x', `see //h and ftp://${HIDDEN}@h/x`],
    ['password=hunter22hunter\n', `password=${HIDDEN}\n`],
    ['[["x-auth-token","a"],["accept","b"]]', `[["x-auth-token","${HIDDEN}"],["accept","b"]]`],
    ['["x-session-id", "a"]', `["x-session-id", "${HIDDEN}"]`],
    ['{"name": "Private-Token", "value": "a"}', `{"name": "Private-Token", "value": "${HIDDEN}"}`],
    [`{'authorization': b'abc', 'a': b'b'}`, `{'authorization': b'${HIDDEN}', 'a': b'b'}`],
    ['["password", "email"], ["sort-key", "a"]', '["password", "email"], ["sort-key", "a"]'],
    ['token=abc is a pair, as a=b&c=d', 'token=abc is a pair, as a=b&c=d'],
    ['{"logprob": -1, "token": "a"}, {"token": "b"}', `{"logprob": -1, "token": "a"}, {"token": "${HIDDEN}"}`], // oxfmt-ignore
  ])('knows secrets by their names: %s', (text, shown) => {
    expect(new Redactor().redact(text)).toBe(shown)
  })
})

it('hides a secret that it learns in a text that it has shown', () => {
  const redactor = new Redactor()
  const text = '/v1/models/of-ann'
  expect(redactor.redact(text)).toBe(text)
  redactor.remember('of-ann')
  expect(redactor.redact(text)).toBe(`/v1/models/${HIDDEN}`)
  redactor.keep('given', ['models'])
  expect(redactor.redact(text)).toBe(`/v1/${HIDDEN}/${HIDDEN}`)
})

it('forgets a secret when no text is left that may have it, and no other one', () => {
  let position = 1
  const redactor = new Redactor({ position: () => position })
  redactor.remember('key-of-ann')
  redactor.keep('webhooks', ['key-of-bob'])
  position = 2
  redactor.remember('key-of-eve')
  redactor.keep('webhooks', [])
  const texts = ['key-of-ann', 'key-of-bob', 'key-of-eve']
  const shown = (): string[] => texts.map((text) => redactor.redact(text))
  expect(shown()).toEqual([HIDDEN, HIDDEN, HIDDEN])
  redactor.forgetBefore(2)
  expect(shown()).toEqual(['key-of-ann', HIDDEN, HIDDEN])
  redactor.remember('key-of-ann')
  redactor.forgetBefore(3)
  expect(shown()).toEqual(texts)
})

it('forgets no secret that stands in a text that is kept, in any spelling', () => {
  let position = 1
  const redactor = new Redactor({ position: () => position })
  const secrets = ['key-of-ann', 'key/of bob', 'key-of-"eve"', 'key-of-joe']
  for (const secret of secrets) redactor.remember(secret)
  position = 2
  const known = (): string[] => secrets.filter((secret) => redactor.redact(secret) !== secret)
  redactor.forgetBefore(2, () => [
    '/v1/key-of-ann',
    '?a=key%2Fof%20bob',
    '{"a":"key-of-\\"eve\\""}',
  ])
  expect(known()).toEqual(secrets.slice(0, 3))
  redactor.forgetBefore(2, () => [])
  expect(known()).toEqual(secrets.slice(0, 3))
  redactor.forgetBefore(3, () => [`${'x'.repeat(100_000)}key-of-ann`])
  expect(known()).toEqual(['key-of-ann'])
})

describe('a header', () => {
  it.each([
    ['Bearer abc', 'Bearer [not shown]', ['Bearer abc', 'abc']],
    ['s3cr3t-key-1 Bearer', HIDDEN, ['s3cr3t-key-1 Bearer', 's3cr3t-key-1']],
    ['s3cr3t-key-1', HIDDEN, ['s3cr3t-key-1']],
  ])('shows the scheme of an authorization, and no other word: %s', (value, shown, secrets) => {
    expect(hiddenHeader('authorization', value)).toBe(shown)
    expect(secretsInHeader('authorization', value)).toEqual(secrets)
  })

  it('is the whole password in an address, also with spaces', () => {
    expect(secretsInUrl('http://ann:my secret pass@h/')).toContain('my secret pass')
    expect(withoutCredentials('http://ann:my secret pass@h/')).toBe('http://h/')
  })

  it('with a long address or a long name is read in a moment', () => {
    const long = 'x'.repeat(1_000_000)
    expect(secretsInUrl(`http://${long}`)).toEqual([])
    expect(secretsInUrl(`http://ann:${long}:a@h/?token=b`)).toContain(`${long}:a`)
    expect(withoutCredentials(`http://h/${'?'.repeat(1_000_000)}`)).toMatch(/\?$/)
    expect(isSecretName(`${long}_token`, 'header')).toBe(true)
  })
})

/** How often work looks at a text. */
function looksOf(work: () => unknown): number {
  let count = 0
  const names = ['charCodeAt', 'slice', 'startsWith'] as const
  const spies = names.map((name) => {
    const look = String.prototype[name] as (...given: unknown[]) => unknown
    const counted = function (this: string, ...given: unknown[]): unknown {
      count++
      return Reflect.apply(look, this, given)
    }
    return vi.spyOn(String.prototype, name).mockImplementation(counted as never)
  })
  try {
    work()
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return count
}
