import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LONGEST_RECENT, RecentTexts } from '../../../src/base/text/recent-texts.js'

it('keeps the latest texts, and drops the oldest to make room', () => {
  const texts = new RecentTexts(1024 * 1024)
  const added = Array.from({ length: 100 }, (_, index) => texts.add(`${index} `.repeat(10_000)))
  const kept = added.map(({ text }) => text)
  const dropped = kept.lastIndexOf(undefined)
  expect(kept.slice(0, dropped + 1).every((text) => text === undefined)).toBe(true)
  expect(kept.at(-1)).toBe('99 '.repeat(10_000))
  const bytes = kept.reduce((sum, text = '') => sum + text.length, 0)
  expect(bytes).toBeGreaterThan(512 * 1024)
  expect(bytes).toBeLessThanOrEqual(1024 * 1024)
})

it('returns any text as it was', () => {
  const texts = new RecentTexts(64 * 1024 * 1024)
  const anyText = fc.string({ unit: 'grapheme', maxLength: 300 })
  fc.assert(
    fc.property(fc.array(anyText, { minLength: 1 }), (all) => {
      const added = all.map((text) => texts.add(text))
      expect(added.map(({ text }) => text)).toEqual(all)
    }),
  )
})

it('takes a text of the greatest length, regardless of its characters', () => {
  const texts = new RecentTexts(1024 * 1024)
  texts.add('a')
  const longest = '模'.repeat(LONGEST_RECENT)
  expect(texts.add(longest).text).toBe(longest)
})

it('keeps at least the latest text, however small its limit is', () => {
  const texts = new RecentTexts(10)
  const first = texts.add('a'.repeat(5000))
  const second = texts.add('b'.repeat(50_000))
  expect(first.text).toBeUndefined()
  expect(second.text).toBe('b'.repeat(50_000))
})
