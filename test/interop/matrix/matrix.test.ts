import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { art, sdk } from './clients.js'
import { indexLine, PAGE, pageWithTables, readResult } from './table.js'

it('the tables of docs/how-to/clients.md are what the last runs of the matrix recorded', async () => {
  expect(await pageWithTables()).toBe(readFileSync(PAGE, 'utf8'))
})

it.each([art, sdk])('the last run of the matrix had all versions of $name', (client) => {
  expect(
    readResult(client).rows.map(({ version, parts }) => [version, Object.keys(parts)]),
  ).toEqual(client.versions.map(({ version }) => [version, client.parts]))
})

it('a table says whether the newest version on the index was tested', () => {
  const index = { newest: '0.5.23', on: '2026-11-22' }
  expect(indexLine(index, ['0.5.23'])).toMatch(/It is in this table\.$/)
  expect(indexLine({ ...index, newest: '0.5.24' }, ['0.5.23'])).toMatch(/It has not been tested\.$/)
  expect(indexLine({ why: 'no network' }, ['0.5.23'])).toMatch(/did not answer \(no network\)\.$/)
})
