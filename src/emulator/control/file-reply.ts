import { bytesReply } from '../../service/api/bytes-reply.js'
import type { RawReply } from '../../service/api/result.js'

/** Answers the content of a file. */
export async function fileReply(content: Promise<Uint8Array>): Promise<RawReply> {
  const bytes = await content
  return bytesReply({ size: bytes.length, chunks: [bytes] })
}
