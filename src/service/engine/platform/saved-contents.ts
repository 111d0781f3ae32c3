import { fromBase64, toBase64 } from '../../../base/text/bytes.js'
import { sizeOf, type Pieces } from '../../../base/clock/slices.js'
import type { RecordFields, RecordFrom } from '../saved/record-fields.js'
import type { SavedPart } from '../saved/saved-part.js'
import { PLATFORM_RECORDS, type PlatformWorld } from './saved-platform.js'

export type ContentRecord = RecordFrom<typeof contentSchema>

function contentSchema({ strictObject, literal, string, count }: RecordFields) {
  return strictObject({
    kind: literal('content'),
    /** Its MD5 in base64. */
    key: string().regex(/^[A-Za-z0-9+/]{22}==$/),
    /** Bytes. Null if nobody uses it any more. */
    size: count.max(MOST_BYTES).nullable(),
  })
}

/** More bytes than any disk of a developer has. */
const MOST_BYTES = 2 ** 50

/** The contents of files, without their bytes. */
export const savedContents: SavedPart<ContentRecord, number, PlatformWorld> = {
  kind: 'content',
  schema: contentSchema,
  all: ({ engine }) => engine.clientPlatform.blobs.all(),
  records(size, key, { engine }) {
    const isStored = engine.clientPlatform.blobs.isStored(key)
    return [{ kind: 'content', key, size: isStored ? size : null }]
  },
  restore(records, { engine: { clientPlatform: platform } }, { contents }) {
    for (const { key, size } of records) platform.blobs.restore(key, size!, contents.get(key))
  },
  isGone: ({ size }) => size === null,
}

export type ContentPartRecord = RecordFrom<typeof contentPartSchema>

function contentPartSchema({ strictObject, literal, string }: RecordFields) {
  return strictObject({
    kind: literal('content_part'),
    /** The MD5 of the content in base64, and the index of the part. */
    key: string().min(1),
    /** In base64. Null if the content is gone. */
    bytes: string().nullable(),
  })
}

/** How many bytes of a content are in one record. Three bytes are four letters of base64. */
const PART = 3 * 64 * 1024

/** The bytes of contents. A data folder leaves them out if it has them in files. */
export const savedContentParts: SavedPart<ContentPartRecord, number, PlatformWorld> = {
  kind: 'content_part',
  schema: contentPartSchema,
  all: ({ engine }) => engine.clientPlatform.blobs.all(),
  records(size, digest, { engine }) {
    const { blobs } = engine.clientPlatform
    const bytes = blobs.bytesOf(digest)
    if (!bytes && blobs.isStored(digest)) {
      return [{ kind: 'content_part', key: lostKey(digest), bytes: '' }]
    }
    return [...partKeys(digest, size)].map((key, index) => {
      const part = bytes?.subarray(index * PART, (index + 1) * PART)
      return {
        kind: 'content_part',
        key,
        bytes: part ? toBase64(part) : null,
      }
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

/** The keys of the parts of a content. */
function* partKeys(digest: string, size: number): Generator<string> {
  for (let index = 0; index * PART < size; index++) yield `${digest} ${index}`
}

/**
 * Joins the parts of a content. Undefined if they are not all of it.
 *
 * @param base64Of Returns the part with a key.
 */
export function* joinedParts(
  base64Of: (key: string) => string | undefined,
  { digest, size }: { digest: string; size: number },
): Pieces<Uint8Array | undefined> {
  const parts: Uint8Array[] = []
  for (const key of partKeys(digest, size)) {
    const base64 = base64Of(key)
    const part = base64 === undefined ? undefined : fromBase64(base64)
    if (!part) return undefined
    parts.push(part)
    yield sizeOf(part.length)
  }
  if (parts.reduce((sum, { length }) => sum + length, 0) !== size) return undefined
  const bytes = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
