import { milliseconds } from '../../../../base/text/duration.js'
import { BrokenOff, type Chunk, type Chunks } from '../../../contract/exchange.js'
import { defineFault } from '../definition.js'
import { headOf } from '../half-answer.js'

export const trickle = defineFault({
  schema: ({ faultSchema, int, duration }) =>
    faultSchema('trickle', 'Sends the body slowly, piece by piece.', {
      bytes: int()
        .positive()
        .default(16)
        .meta({
          description:
            'The number of bytes in each piece. A character that is not ASCII counts as one.',
          examples: [1],
        }),
      every: duration
        .prefault('100ms')
        .meta({ description: 'The time between two pieces.', examples: ['1s'] }),
    }),
  words: () => ['trickles', 'an answer that comes piece by piece'],
  survivable: true,
  damage: 'late',
  unseen: ['bytes', 'every'],
  apply({ fault, bytes, every }, { plan }) {
    plan.shapes.push((answer, { delayed }) => {
      const wait = (): Promise<boolean> => delayed.wait(milliseconds(every))
      if (answer.kind === 'stream') {
        return { ...answer, chunks: inPieces(answer.chunks, { bytes, wait }) }
      }
      return { ...headOf(answer), chunks: inPieces([answer.body], { bytes, wait }) }
    })
    return fault
  },
})

interface Pace {
  /** How many bytes are sent at a time. Of a text, how many characters, so that none is cut. */
  bytes: number
  /** Resolves to false if the world has ended. */
  wait: () => Promise<boolean>
}

async function* inPieces(chunks: Chunks, { bytes, wait }: Pace): AsyncGenerator<Chunk> {
  let first = true
  for await (const chunk of chunks) {
    for (const piece of piecesOf(chunk, bytes)) {
      if (!first && !(await wait())) throw new BrokenOff('The world ended meanwhile')
      first = false
      yield piece
    }
  }
}

function* piecesOf(chunk: Chunk, bytes: number): Generator<Chunk> {
  if (typeof chunk !== 'string') {
    for (let start = 0; start < chunk.length; start += bytes) {
      yield chunk.subarray(start, start + bytes)
    }
    return
  }
  const characters = Array.from(chunk)
  for (let start = 0; start < characters.length; start += bytes) {
    yield characters.slice(start, start + bytes).join('')
  }
}
