import { isRecord } from '../../service/contract/pydantic/record.js'
import { partAt } from '../../base/text/json-pointer.js'

/** Thrown when a document, an allow list or a recording cannot be read. */
export class DriftError extends Error {
  override readonly name = 'DriftError'
}

/** A JSON object of an OpenAPI document. */
export type JsonObject = Readonly<Record<string, unknown>>

/** The value, or an empty object if it is something else. */
export function objectIn(value: unknown): JsonObject {
  return isRecord(value) ? value : {}
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The largest document that is read, in bytes. */
export const MOST_BYTES = 20_000_000

/**
 * Reads an OpenAPI document from JSON or YAML.
 *
 * @param label How messages name the document.
 * @throws {DriftError} When it is not an OpenAPI document of a version that can be compared.
 * @example
 * const document = await parseDocument(await readFile('openapi.json', 'utf8'), 'openapi.json')
 */
export async function parseDocument(text: string, label: string): Promise<JsonObject> {
  const document = await parseText(text, label)
  if (!isRecord(document)) throw new DriftError(`${label} is not an OpenAPI document: ${NEEDS}.`)
  const { openapi, swagger, paths } = document
  if (openapi === undefined && swagger !== undefined) {
    throw new DriftError(
      `${label} has version ${shortText(swagger)} of Swagger. The command reads OpenAPI 3.0 and 3.1: convert it first.`,
    )
  }
  if (openapi === undefined) {
    throw new DriftError(`${label} is not an OpenAPI document: it has no key "openapi". ${NEEDS}.`)
  }
  if (!/^3\.[0-2](?:\.|$)/.test(shortText(openapi).replaceAll('"', ''))) {
    throw new DriftError(
      `${label} has version ${shortText(openapi)} of OpenAPI. The command reads versions 3.0 and 3.1.`,
    )
  }
  if (!isRecord(paths))
    throw new DriftError(`${label} has no object "paths", so it describes no operation.`)
  return document
}

const NEEDS = 'It takes a JSON or YAML object with the keys "openapi" and "paths"'

/** Parses JSON, or else YAML. */
export async function parseText(text: string, label: string): Promise<unknown> {
  const written = text.replace(/^\uFEFF/, '')
  if (written.trim() === '') throw new DriftError(`${label} is empty.`)
  try {
    return JSON.parse(written)
  } catch (error) {
    // JSON that was cut off is also broken YAML, and the message about JSON is the better one.
    return parseYaml(written, {
      label,
      jsonError: /^\s*[[{]/.test(written) ? (error as Error).message : undefined,
    })
  }
}

async function parseYaml(
  text: string,
  { label, jsonError }: { label: string; jsonError: string | undefined },
): Promise<unknown> {
  const { parseDocument: parse } = await import('yaml')
  const document = parse(text, { merge: true })
  const [first] = document.errors
  if (first) {
    const why = jsonError ?? first.message.split('\n')[0]!.replace(/:$/, '')
    throw new DriftError(`Failed to parse ${label}: ${why}. Is it complete?`)
  }
  try {
    return document.toJS() as unknown
  } catch (error) {
    // An alias that stands for too much, or for nothing.
    throw new DriftError(`Failed to read ${label}: ${(error as Error).message}.`)
  }
}

/** The most characters of a value in a message. */
const LONGEST = 80

/** A value as JSON, cut if it is long. */
export function shortText(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`
}

/** Finds what the references of one document mean. */
export class References {
  readonly #document: unknown
  readonly #label: string

  constructor(document: unknown, label: string) {
    this.#document = document
    this.#label = label
  }

  /**
   * Follows the references of an object to the object that they mean.
   *
   * @throws {DriftError} When a reference leads nowhere, to another document, or to itself.
   */
  follow(value: unknown): unknown {
    const seen: string[] = []
    let found = value
    while (isRecord(found) && typeof found['$ref'] === 'string') {
      const { $ref: reference } = found
      if (seen.includes(reference)) {
        throw new DriftError(
          `${this.#label} has a circular reference: ${[...seen, reference].join(' → ')}.`,
        )
      }
      seen.push(reference)
      found = this.find(reference)
    }
    return found
  }

  /** What one reference means. It may be a reference again. */
  find(reference: string): unknown {
    if (!reference.startsWith('#')) {
      throw new DriftError(
        `${this.#label} refers to another document, ${shortText(reference)}. Bundle it into one document first.`,
      )
    }
    const found = partAt(this.#document, reference.slice(1))
    if (found === undefined) {
      throw new DriftError(
        `${this.#label} has a reference that leads nowhere: ${shortText(reference)}. Is the document complete?`,
      )
    }
    return found
  }
}
