import { readFile, stat } from 'node:fs/promises'
import { cancelTimer, startTimer } from '../../base/clock/wall.js'
import { withoutCredentials } from '../../base/text/redaction/redact.js'
import { networkError } from '../../base/text/network-error.js'
import { DriftError, MOST_BYTES, parseDocument, type JsonObject } from './document.js'

/** A document that was read, and how messages name it. */
export interface ReadDocument {
  readonly document: JsonObject
  readonly label: string
}

/** How long a server may take to send a document, in milliseconds. */
const LONGEST = 30_000

/**
 * Reads an OpenAPI document from a file or a URL.
 *
 * @throws {DriftError} When it cannot be read, is too large, or is not an OpenAPI document.
 * @example
 * const { document } = await readDocument('https://service.example/openapi.json')
 */
export async function readDocument(source: string): Promise<ReadDocument> {
  const isUrl = /^https?:\/\//i.test(source)
  const label = isUrl ? shownUrl(source) : source
  const text = isUrl ? await fetchText(source, label) : await readText(source)
  return { document: await parseDocument(text, label), label }
}

/** A URL without what may be a key: the credentials, the query and the fragment. */
export function shownUrl(url: string): string {
  const plain = withoutCredentials(url).replace(/[?#].*$/s, '')
  return plain === withoutCredentials(url) ? plain : `${plain}?…`
}

async function readText(path: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > MOST_BYTES) throw tooLarge(path)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof DriftError) throw error
    throw new DriftError(`Failed to read ${path}: ${(error as Error).message}.`)
  }
}

async function fetchText(url: string, label: string): Promise<string> {
  if (!URL.canParse(url)) throw new DriftError(`${label} is not a URL.`)
  const plain = new URL(url)
  const { username, password } = plain
  // `fetch` refuses a URL with credentials.
  plain.username = ''
  plain.password = ''
  const given = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization = given === ':' ? undefined : `Basic ${Buffer.from(given).toString('base64')}`
  const stop = new AbortController()
  const timer = startTimer(LONGEST, () => {
    stop.abort(new Error(`there was no complete answer after ${LONGEST / 1000} s`))
  })
  try {
    const response = await fetch(plain, {
      signal: stop.signal,
      headers: {
        accept: 'application/json, application/yaml, */*;q=0.5',
        ...(authorization !== undefined && { authorization }),
      },
    })
    if (!response.ok) {
      await response.body?.cancel()
      throw new DriftError(`Failed to fetch ${label}: it answered ${response.status}. ${FILE}.`)
    }
    return await textOf(response, label)
  } catch (error) {
    if (error instanceof DriftError) throw error
    throw new DriftError(`Failed to fetch ${label}: ${networkError(error)}.`)
  } finally {
    cancelTimer(timer)
  }
}

const FILE = 'If it needs a key, save the document to a file first'

async function textOf(response: Response, label: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > MOST_BYTES) throw tooLarge(label)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function tooLarge(label: string): DriftError {
  return new DriftError(`${label} is too large: the most is ${MOST_BYTES / 1_000_000} MB.`)
}
