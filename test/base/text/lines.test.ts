import fc from 'fast-check'
import { expect, it } from 'vitest'
import { linesOf } from '../../../src/base/text/lines.js'

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

it('the lines of a stream are the same, however its bytes are split', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\n', '\r', ' ') })
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 5 }), async (whole, size) => {
      const lines: string[] = []
      for await (const line of linesOf(inPieces(new TextEncoder().encode(whole), size))) {
        lines.push(line)
      }
      const expected = whole.split('\n')
      // The end of the last line ends no empty one.
      if (expected.at(-1) === '') expected.pop()
      expect(lines).toEqual(expected)
    }),
  )
})
