import fc from 'fast-check'
import { expect, it } from 'vitest'
import { textLinesOf } from '../../../src/base/text/text-lines.js'

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

it('the lines of a stream are the same, however its bytes are split', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\n', '\r', ' ') })
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 5 }), async (whole, size) => {
      const lines: string[] = []
      for await (const line of textLinesOf(inPieces(new TextEncoder().encode(whole), size))) {
        lines.push(line)
      }
      const expected = whole.split('\n')
      // The end of the last line ends no empty one.
      if (expected.at(-1) === '') expected.pop()
      expect(lines).toEqual(expected)
    }),
  )
})

it.each([
  ['bytes that begin no character', [0xff, 0x7d]],
  ['a character that a line end cuts off', [0xc3]],
  ['a character that the end of the file cuts off', [0xe2, 0x82], ''],
])(
  'names the first line that is not UTF-8, however its bytes are split: %s',
  async (_, bad, end = '\n') => {
    const text = new TextEncoder()
    const bytes = Uint8Array.from([...text.encode('{}\né \uFFFD\n{'), ...bad, ...text.encode(end)])
    for (const size of [1, 4, bytes.length]) {
      const lines: string[] = []
      const read = async (): Promise<void> => {
        for await (const line of textLinesOf(inPieces(bytes, size))) lines.push(line)
      }
      await expect(read()).rejects.toThrow(
        'the file is not UTF-8, first in line 3: save it as UTF-8, such as with iconv -f WINDOWS-1252 -t UTF-8.',
      )
      expect(lines).toEqual(['{}', 'é \uFFFD'])
    }
  },
)
