import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

function source(path: string): string {
  return readFileSync(join(import.meta.dirname, '../../src/dashboard', path), 'utf8')
}

it('tables leave columns out at the width at which the style sheet shows their values', () => {
  const [, width = ''] = /const FEWER_COLUMNS = '(.*)'/.exec(source('kit/table.tsx')) ?? []
  expect(width).toMatch(/^\(max-width: /)
  expect(source('styles/tables.css')).toContain(`@media ${width} {\n  .only-narrow {`)
})
