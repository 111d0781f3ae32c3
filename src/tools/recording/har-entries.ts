import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { HIDDEN_CHANGES } from '../../emulator/har.js'
import { fieldsOf, listIn, textIn, type Fields, type RecordedExchange } from './exchanges.js'
import type { Place } from './har-places.js'
import { NOT_IN_FILE } from './replaced-text.js'

interface HarFacts {
  /** Bodies may be in files beside it. */
  readonly file: string
  readonly clock: string | undefined
  /** The origins of the inference API. */
  readonly inference: ReadonlySet<string>
}

/** An entry that was read. */
interface ReadEntry {
  readonly recorded: RecordedExchange
  /** How many of its bodies are not whole, if it is a call of the service. */
  readonly missing: number
}

/** Reads the entries of a HAR file. */
export class HarEntries {
  readonly #facts: HarFacts

  constructor(facts: HarFacts) {
    this.#facts = facts
  }

  read(entry: Fields, place: Place, id: number): ReadEntry {
    const { request, response, time, timings } = entry
    const { headers, postData } = fieldsOf(request)
    const { status } = fieldsOf(response)
    const at = startOf(entry)
    const { answered_at, faults } = fieldsOf(entry['_svtrain'])
    const answeredAt = Date.parse(String(answered_at))
    const { clock } = this.#facts
    const isVirtual = clock !== undefined && clock !== 'real'
    const shown = isVirtual ? 0 : wholeTime(time)
    const took = Number.isNaN(answeredAt) ? shown : answeredAt - at
    const received = Math.min(took, wholeTime(fieldsOf(timings)['receive']))
    const body = this.#text(fieldsOf(postData))
    const how = howOf(entry)
    const hasResponse = typeof status === 'number' && status > 0
    const answer = hasResponse ? this.#received(fieldsOf(response)) : ''
    const bodies = place.hosts.length > 0 ? [body, answer] : []
    const missing = bodies.filter((each) => each === undefined).length
    const hits = listIn(faults).map(fieldsOf)
    const isDelayed = hits.some(({ fault }) => fault === 'delay')
    const recorded: RecordedExchange = {
      // Of a run of the emulator, only a fault makes an answer late. A clock may skip time, or be fast.
      ...(clock !== undefined && !isDelayed && { waited: 0 }),
      changes: hits.filter(({ fault }) => String(fault) in HIDDEN_CHANGES),
      request: {
        type: 'request',
        id,
        at,
        ...this.#callTo(place),
        headers: headersIn(headers),
        ...(body && { body }),
      },
      ...(hasResponse && {
        response: {
          type: 'response',
          id,
          at: at + took - received,
          status,
          headers: headersIn(fieldsOf(response)['headers']),
        },
      }),
      text: answer ?? NOT_IN_FILE,
      ...(how !== undefined && { end: { type: 'end', id, at: at + took, how } }),
    }
    return { recorded, missing }
  }

  #callTo({ origin, hosts, method, path, query }: Place): RecordedCall {
    const isInference = this.#facts.inference.has(origin) && hosts.includes('inference')
    return { host: isInference ? 'inference' : (hosts[0] ?? 'training'), method, path, query }
  }

  /** The body of an answer. Undefined if the file does not have it: it is unknown, and not empty. */
  #received({ content, bodySize }: Fields): string | undefined {
    const { text, size } = fieldsOf(content)
    const isEmpty =
      typeof text === 'string' ? !(Number(size) > 0) : size === 0 && !(Number(bodySize) > 0)
    const found = this.#text(fieldsOf(content))
    return found === '' && !isEmpty ? undefined : found
  }

  /** A body as text. Undefined if it is not whole: half a body would say something else. */
  #text({ text, encoding, comment, _file: name }: Fields): string | undefined {
    if (typeof name === 'string') return this.#attached(name)
    // This emulator has a comment only where it says that a body is cut, or that it is gone.
    if (this.#facts.clock !== undefined && comment !== undefined) return undefined
    const found = textIn(text) ?? ''
    // Some tools also say base64 of plain text.
    const isEncoded = encoding === 'base64' && BASE64.test(found)
    return isEncoded ? Buffer.from(found, 'base64').toString('utf8') : found
  }

  /** A body in a file of its own. One that is somewhere else is none of this recording. */
  #attached(name: string): string | undefined {
    if (name !== basename(name)) return undefined
    try {
      return readFileSync(join(dirname(this.#facts.file), name), 'utf8')
    } catch {
      // It was not saved together with the HAR file.
      return undefined
    }
  }
}

const BASE64 = /^[\w+/\s-]*={0,2}\s*$/

function wholeTime(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.round(value) : 0
}

type RecordedCall = Pick<RecordedExchange['request'], 'host' | 'method' | 'path' | 'query'>

/** When the request of an entry was sent. */
export function startOf({ startedDateTime }: Fields): number {
  return Date.parse(String(startedDateTime))
}

function headersIn(headers: unknown): Record<string, string> {
  const fields = listIn(headers).map(fieldsOf)
  return Object.fromEntries(
    fields.flatMap(({ name, value }) => {
      return typeof name === 'string' && typeof value === 'string'
        ? [[name.toLowerCase(), value]]
        : []
    }),
  )
}

/** How an exchange ended. Undefined if the file was written before it did. */
function howOf(entry: Fields): 'complete' | 'lost' | 'client_left' | undefined {
  const own = fieldsOf(entry['_svtrain'])
  if (own['lost'] === 'disconnect') return 'lost'
  if (own['lost'] === 'hang') return 'client_left'
  const { status, _error, _failureText } = fieldsOf(entry['response'])
  // Some tools write -1 for a call without an answer, and some the status of one that broke off. This emulator writes
  // why a client got no answer, also if there was one.
  const error = textIn(_error) ?? textIn(_failureText)
  const isWhole = error === undefined || '_svtrain' in entry
  if (typeof status === 'number' && status > 0 && isWhole) return 'complete'
  if ('lost' in own) return undefined
  const waited = wholeTime(fieldsOf(entry['timings'])['wait'])
  const hasLeft = error ? CLIENT_LEFT.test(error) : waited >= PATIENCE
  return hasLeft ? 'client_left' : 'lost'
}

/** How tools say that the client stopped waiting: it ran out of time, or was told to stop. */
const CLIENT_LEFT =
  /(?<!connection_)abort|cancel|client (?:disconnected|closed)|time(?:d[ _]?)?out/i

/** Without a reason, a call that waited this long, in milliseconds, met silence: a lost connection ends at once. */
const PATIENCE = 5000
