import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { footerOf, pageWith, PAGE, readResult } from './table.js'
import { versions } from './versions.js'

it('the table of docs/clients.md is what the last run of the matrix recorded', async () => {
  expect(await pageWith(readResult())).toBe(readFileSync(PAGE, 'utf8'))
})

it('the last run of the matrix had all versions', () => {
  const { rows } = readResult()
  expect(rows.map(({ version, python }) => [version, python])).toEqual(
    versions.map(({ version, python }) => [version, `3.${python}`]),
  )
})

it('the table says whether the newest version on the index was tested', () => {
  const rows = [{ version: '0.5.23', python: '3.12', parts: {}, notes: [] }]
  const index = { newest: '0.5.23', on: '2026-11-22' }
  expect(footerOf({ rows, index })).toMatch(/It is in this table\.$/)
  expect(footerOf({ rows, index: { ...index, newest: '0.5.24' } })).toMatch(
    /It has not been tested\.$/,
  )
  expect(footerOf({ rows, index: { why: 'no network' } })).toMatch(
    /did not answer \(no network\)\.$/,
  )
})
