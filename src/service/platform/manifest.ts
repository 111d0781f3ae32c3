import { PlatformError, quoted } from './platform-error.js'
import { checkPath } from './names.js'

/** A file that a manifest lists. Clients say more about it, which only they read. */
export interface ManifestEntry {
  /** The MD5 of the content in base64. For a reference, what its store names it by. */
  readonly digest: string
  /** Bytes. */
  readonly size: number
  /** Where the content is, if it was not uploaded. */
  readonly ref?: string | undefined
}

/** The files of an artifact, by path. */
export type ManifestEntries = ReadonlyMap<string, ManifestEntry>

/**
 * Reads the text of a manifest.
 *
 * @throws {PlatformError} When it is not a manifest, or a path in it is not allowed.
 */
export function readManifest(bytes: Uint8Array): ManifestEntries {
  const { contents } = parsed(bytes)
  if (typeof contents !== 'object' || contents === null || Array.isArray(contents)) {
    throw new PlatformError(
      'invalid',
      'The manifest has no contents; expected an object of files by path.',
    )
  }
  const entries = Object.entries(contents as Record<string, unknown>)
  return new Map(entries.map(([path, entry]) => [checkPath(path), readEntry(path, entry)]))
}

function parsed(bytes: Uint8Array): { contents?: unknown } {
  try {
    return Object(JSON.parse(new TextDecoder().decode(bytes))) as { contents?: unknown }
  } catch (error) {
    throw new PlatformError('invalid', `The manifest is not JSON: ${(error as Error).message}.`)
  }
}

function readEntry(path: string, entry: unknown): ManifestEntry {
  const { digest, size = 0, ref, ...more } = Object(entry) as Record<string, unknown>
  if (typeof digest !== 'string' || digest === '') {
    throw new PlatformError('invalid', `The manifest has no digest for the file ${quoted(path)}.`)
  }
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
    throw new PlatformError(
      'invalid',
      `The manifest has the size ${String(size)} for the file ${quoted(path)}; expected a whole number from 0 on.`,
    )
  }
  return { ...more, digest, size, ...(typeof ref === 'string' && { ref }) }
}

/** What the digest of an artifact is made of: the digests of its files, by path. */
export function manifestText(prefix: string, entries: ManifestEntries): string {
  const lines = [...entries]
    .sort(([one], [other]) => characterOrder(one, other))
    .map(([path, { digest }]) => `${path}:${digest}\n`)
  return `${prefix}\n${lines.join('')}`
}

/** The order in which Python sorts texts: by their characters, also if one of them has two units. */
function characterOrder(one: string, other: string): number {
  for (let at = 0; ; at++) {
    const [first = -1, second = -1] = [one.codePointAt(at), other.codePointAt(at)]
    if (first !== second || first === -1) return first - second
  }
}
