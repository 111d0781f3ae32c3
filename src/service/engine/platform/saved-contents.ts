import { toBase64 } from '../../../base/text/bytes.js'
import type { AnyPart, KeyedRecord, SavedPart } from '../saved/saved-part.js'
import { MD5_IN_BASE64 } from '../../platform/digest.js'
import { PLATFORM_RECORDS, type PlatformWorld } from './saved-platform.js'

/** By its MD5 in base64. The size is in bytes; null if nobody uses it any more. */
type ContentRecord = KeyedRecord<'content', { size: number | null }>

/** More bytes than any disk of a developer has. */
const MOST_BYTES = 2 ** 50

/** The contents of files, without their bytes. */
export const savedContents: SavedPart<ContentRecord, number, PlatformWorld> = {
  kind: 'content',
  key: ({ string }) => string().regex(MD5_IN_BASE64),
  fields: ({ count }) => ({ size: count.max(MOST_BYTES).nullable() }),
  all: ({ engine }) => engine.clientPlatform.blobs.all(),
  content(size, key, { engine }) {
    return { size: engine.clientPlatform.blobs.isStored(key) ? size : null }
  },
  restore(records, { engine: { clientPlatform: platform } }, { contents }) {
    for (const { key, size } of records) platform.blobs.restore(key, size!, contents.get(key))
  },
  isGone: ({ size }) => size === null,
}

/** By the MD5 of the content and the index of the part. The bytes are in base64; null if the content is gone. */
type ContentPartRecord = KeyedRecord<'content_part', { bytes: string | null }>

/** How many bytes of a content are in one record. Three bytes are four letters of base64. */
const PART = 3 * 64 * 1024

/** The bytes of contents. A data folder leaves them out if it has them in files. */
export const savedContentParts: AnyPart<ContentPartRecord, number, PlatformWorld> = {
  kind: 'content_part',
  fields: ({ string }) => ({ bytes: string().nullable() }),
  all: ({ engine }) => engine.clientPlatform.blobs.all(),
  records(size, digest, { engine }): ContentPartRecord[] {
    const { blobs } = engine.clientPlatform
    const bytes = blobs.bytesOf(digest)
    if (!bytes && blobs.isStored(digest)) {
      return [{ kind: 'content_part', key: lostKey(digest), bytes: '' }]
    }
    return [...partKeys(digest, size)].map((key, index) => {
      const part = bytes?.subarray(index * PART, (index + 1) * PART)
      return { kind: 'content_part', key, bytes: part ? toBase64(part) : null }
    })
  },
  isGone: ({ bytes }) => bytes === null,
  isContent: true,
  ...PLATFORM_RECORDS,
}

/** The key of the only part of a content whose file was gone when the world was saved. */
export function lostKey(digest: string): string {
  return `${digest} lost`
}

/** The MD5 of the content of a part. */
export function digestIn(key: string): string {
  return key.split(' ', 1)[0]!
}

/** The keys of the parts of a content. */
export function* partKeys(digest: string, size: number): Generator<string> {
  for (let index = 0; index * PART < size; index++) yield `${digest} ${index}`
}
