import { fileURLToPath } from 'node:url'
import table from 'gpt-tokenizer/bpeRanks/cl100k_base'
import { expect, it } from 'vitest'
import { tokenTable } from '../../.build/bundle.js'

it('the package has each token of the tokenizer, in one text', async () => {
  const id = fileURLToPath(import.meta.resolve('gpt-tokenizer/bpeRanks/cl100k_base'))
  const load = tokenTable.load as (id: string) => Promise<string>
  const code = await load(id)
  const url = `data:text/javascript,${encodeURIComponent(code)}`
  const written = (await import(/* @vite-ignore */ url)) as { default: unknown }
  expect(written.default).toEqual(table)
  expect(code.length).toBeLessThan(JSON.stringify(table).length * 0.9)
})
