import { RawReply } from './operation.js'

/** Answers bytes, for a client that saves them. */
export function bytesReply(bytes: Uint8Array): RawReply {
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String(bytes.length),
    // Keeps a browser from treating the content as a page.
    'x-content-type-options': 'nosniff',
  }
  return new RawReply({
    kind: 'stream',
    status: 200,
    headers,
    chunks: binaryChunks(bytes),
    isBinary: true,
  })
}

const CHUNK = 64 * 1024

/** The bytes as texts, a part at a time, so that a large content is never a second time in memory. */
function* binaryChunks(bytes: Uint8Array): Generator<string> {
  for (let at = 0; at < bytes.length; at += CHUNK) {
    let text = ''
    const part = bytes.subarray(at, at + CHUNK)
    for (let start = 0; start < part.length; start += 8192) {
      text += String.fromCharCode(...part.subarray(start, start + 8192))
    }
    yield text
  }
}
