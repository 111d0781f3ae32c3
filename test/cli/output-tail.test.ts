import { expect, it } from 'vitest'
import { OutputTail } from '../../src/cli/output-tail.js'

it('begins with a whole word, so that no part of a secret is left', () => {
  const tail = new OutputTail()
  const secret = 'sk-abcdefghijklmnopqrstuvwxyz'
  // The last 64 kB begin in the middle of the secret.
  const rest = 'x'.repeat(65_536 - 11)
  tail.add(Buffer.from(`first line\nkey ${secret}\n${rest}`))
  expect(tail.text).toBe(`…${rest}`)
})

it('begins with a whole character if there is no space', () => {
  const tail = new OutputTail()
  tail.add(Buffer.from(`${'é'.repeat(40_000)}x`))
  expect(tail.text).toMatch(/^…é+x$/)
})
