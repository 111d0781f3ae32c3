/**
 * Splits a stream of bytes into lines of text, without line ends. The last line needs no line end. The pieces
 * of a line are joined only once, because joining them one by one takes quadratic time.
 */
export async function* linesOf(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pieces: string[] = []
  for await (const chunk of bytes) {
    const [first, ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    pieces.push(first!)
    if (others.length === 0) continue
    yield pieces.join('')
    pieces = [others.pop()!]
    yield* others
  }
  pieces.push(decoder.decode())
  const rest = pieces.join('')
  if (rest !== '') yield rest
}
