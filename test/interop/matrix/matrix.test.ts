import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CAPABILITIES } from '../sdk.js'
import { readArtResult } from './art-table.js'
import { versions } from './art-versions.js'
import { PAGE, pageWithTables } from './page.js'
import { readSdkResult, sdkVersions } from './sdk-table.js'
import { indexLine } from './table.js'

it('the tables of docs/how-to/clients.md are what the last runs of the matrix recorded', async () => {
  expect(await pageWithTables()).toBe(readFileSync(PAGE, 'utf8'))
})

it('the last run of the matrix had all versions of openpipe-art', () => {
  const { rows } = readArtResult()
  expect(rows.map(({ version, python }) => [version, python])).toEqual(
    versions.map(({ version, python }) => [version, `3.${python}`]),
  )
})

it('the last run of the matrix had all versions of wandb, with all capabilities', () => {
  const { columns } = readSdkResult()
  expect(columns.map(({ version, cells }) => [version, Object.keys(cells)])).toEqual(
    sdkVersions.map(({ version }) => [version, CAPABILITIES]),
  )
})

it('a table says whether the newest version on the index was tested', () => {
  const index = { newest: '0.5.23', on: '2026-11-22' }
  expect(indexLine(index, ['0.5.23'])).toMatch(/It is in this table\.$/)
  expect(indexLine({ ...index, newest: '0.5.24' }, ['0.5.23'])).toMatch(/It has not been tested\.$/)
  expect(indexLine({ why: 'no network' }, ['0.5.23'])).toMatch(/did not answer \(no network\)\.$/)
})
