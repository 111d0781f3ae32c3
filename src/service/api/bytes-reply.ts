import type { OpenContent } from '../platform/blobs.js'
import { RawReply } from './result.js'

/** Answers bytes, for a client that saves them. */
export function bytesReply({ size, chunks }: OpenContent): RawReply {
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String(size),
    // Keeps a browser from treating the content as a page.
    'x-content-type-options': 'nosniff',
  }
  return new RawReply({ kind: 'stream', status: 200, headers, chunks })
}
