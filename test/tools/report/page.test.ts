import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { escapeHtml } from '../../../src/base/text/escape.js'
import { markup } from '../../../src/tools/report/markup.js'
import { facts, page, PAGE_POLICY, table } from '../../../src/tools/report/page.js'
import { STYLE, STYLE_HASH } from '../../../src/tools/report/style.js'

describe('a page', () => {
  it('allows its own styles by their hash, and nothing else', () => {
    const hash = createHash('sha256').update(STYLE).digest('base64')
    expect(STYLE_HASH).toBe(`sha256-${hash}`)
    expect(PAGE_POLICY).not.toMatch(/unsafe|\*|https?:/)
    const text = page({ title: 'A page', sections: [] })
    expect(text).toContain(`<style>${STYLE}</style>`)
    expect(text).toContain(`content="${PAGE_POLICY.replaceAll("'", '&#39;')}"`)
    expect(text).not.toMatch(/<script|<link|<img|style=|url\(|@import/)
  })

  it('shows characters that hide or reorder text', () => {
    expect(escapeHtml('a\u202Eb\u0000c\ud800d\n\te😀')).toBe('a\\u202eb\\u0000c\\ud800d\n\te😀')
  })

  it('aligns numbers to the right, in the heading and in the cells of a column', () => {
    const columns = ['Model', { name: 'Steps', is: 'number' }] as const
    const shown = String(table({ label: 'Jobs', columns, rows: [['poet', 3]] }))
    expect(shown).toContain('<th scope="col">Model</th><th scope="col" class="number">Steps</th>')
    expect(shown).toContain('<td>poet</td><td class="number">3</td>')
  })

  it('leaves out what is not there', () => {
    expect(
      String(
        facts([
          ['Seed', undefined],
          ['Clock', 'auto'],
        ]),
      ),
    ).toBe('<dl class="facts"><dt>Clock</dt><dd>auto</dd></dl>')
    expect(String(markup`<p>${false}${undefined}${[1, 'b']}</p>`)).toBe('<p>1b</p>')
  })
})
