import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HIDDEN, Redactor } from '../../../src/text/redaction/redact.js'

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

  it('replaces only once, so that a key can be a part of the replacement', () => {
    const redactor = new Redactor({ secrets: ['shown', 'not', 'abcdefg', 'abcdefghi'] })
    expect(redactor.redact('abcdefghi')).toBe(HIDDEN)
    expect(redactor.redact('not shown')).toBe(`${HIDDEN} ${HIDDEN}`)
  })

  it('removes the beginning of a key at the end of a cut text', () => {
    const redactor = new Redactor({ secrets: ['a"long-secret', 'abc'] })
    expect(redactor.redactStart('text a"long-se')).toBe('text ')
    expect(redactor.redactStart(String.raw`text a\"long-se`)).toBe('text ')
    expect(redactor.redactStart('text a"long-secret')).toBe(`text ${HIDDEN}`)
    expect(redactor.redactStart('text')).toBe('text')
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
})
