import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { counted, groupsOf } from '../../base/text/counted.js'
import { mostSimilar } from '../../base/text/nearest.js'
import {
  fieldsOf,
  hostsOf,
  listIn,
  textIn,
  type Fields,
  type RecordedExchange,
  type ScenarioPart,
} from './exchanges.js'
import { HIDDEN_CHANGES } from '../../emulator/har.js'
import type { Host } from '../../service/contract/exchange.js'
import { DOCUMENTED_ADDRESSES } from '../../base/text/vendor/hosts.js'
import type { KnownJob } from './jobs-seen.js'
import { jobsOfRun, webhooksOfRun } from './own-run.js'
import { RecordingError } from './recording-error.js'
import { NOT_IN_FILE } from './replaced-text.js'
import { SAVE_CONTENTS } from './unfinished-jobs.js'

/** The calls that a file has, and what is known about them. */
export interface FileCalls {
  /** The requests and responses, in the order of the requests. */
  readonly recorded: readonly RecordedExchange[]
  /** Whether the file has the contents of messages. */
  readonly contents: 'redacted' | 'recorded'
  /** What the file does not have, as sentences. */
  readonly notes: readonly string[]
  /** What is gone from the file although calls had it, as sentences. Default: nothing. */
  readonly losses?: readonly string[] | undefined
  /** What the emulator knows about the jobs, if it wrote the file. Default: only calls show them. */
  readonly jobs?: readonly KnownJob[] | undefined
  /** The clock of that run. */
  readonly clock?: string | undefined
  /** The webhooks and automations of that run, as parts of a scenario. Default: calls do not show them. */
  readonly webhooks?: ScenarioPart | undefined
}

/**
 * Reads the calls of a HAR 1.2, of this emulator or of another tool.
 *
 * @throws {RecordingError} When it has no requests, or those of several worlds and none is chosen.
 */
export function callsOfHar(har: unknown, file: string, world: string | undefined): FileCalls {
  const log = fieldsOf(fieldsOf(har)['log'])
  if (!Array.isArray(log['entries'])) {
    throw new RecordingError(
      `"${file}" is not a HAR 1.2 file: log.entries is not a list. Save the file again, with the requests and their contents.`,
    )
  }
  const all = listIn(log['entries']).map(fieldsOf)
  const broken = all.findIndex((each) => !isEntry(each))
  if (broken !== -1) {
    throw new RecordingError(
      `"${file}" is not a HAR 1.2 file: log.entries[${broken}] needs startedDateTime, request.method, request.url and response.status.`,
    )
  }
  const entries = ofWorld(all, file, world)
  const clock = ownClock(log)
  const sorted = [...entries].sort((one, other) => startOf(one) - startOf(other))
  const places = sorted.map(calledPlace)
  const reader = new Reader({ file, clock, inference: inferenceOrigins(places) })
  const recorded = sorted.map((entry, index) => reader.read(entry, places[index]!, index + 1))
  const start = recorded[0]?.request.at
  const requests = new Map(
    sorted.map((entry, index) => [fieldsOf(entry['_svtrain'])['id'], index + 1]),
  )
  const texts = recorded.flatMap(({ request, text }) => [request.body ?? '', text])
  return {
    recorded,
    contents: texts.some((text) => WITHOUT_CONTENTS.test(text)) ? 'redacted' : 'recorded',
    notes: [
      ...(clock === undefined ? [hostsNote(entries)] : []),
      ...(reader.missing.length > 0 && clock === undefined ? [SAVE_CONTENTS] : []),
      ...jobNotes(log, clock),
    ],
    losses: reader.missing.length === 0 ? [] : [missingNote(reader.missing)],
    jobs: clock === undefined ? undefined : jobsOfRun(log, { world, requests, start }),
    clock,
    webhooks: clock === undefined ? undefined : webhooksOfRun(log, world),
  }
}

/** What `--without-contents` writes in place of a text, or of token ids. */
const WITHOUT_CONTENTS = /"\[\d+ (?:characters?|numbers)\]"/

function missingNote(missing: readonly string[]): string {
  const { length } = missing
  const calls = [...new Set(missing)]
  const more = calls.length > MOST_CALLS ? `, and ${calls.length - MOST_CALLS} more` : ''
  const are = length === 1 ? 'is' : 'are'
  return `${counted(length, 'body', 'bodies')} ${are} not whole in the file, and ${are} not used: ${calls.slice(0, MOST_CALLS).join(', ')}${more}.`
}

const MOST_CALLS = 3

function isEntry({ startedDateTime, request, response }: Fields): boolean {
  const { method, url } = fieldsOf(request)
  const isTime = typeof startedDateTime === 'string' && !Number.isNaN(Date.parse(startedDateTime))
  const isCall = typeof method === 'string' && typeof url === 'string' && URL.canParse(url)
  return isTime && isCall && typeof fieldsOf(response)['status'] === 'number'
}

function startOf({ startedDateTime }: Fields): number {
  return Date.parse(String(startedDateTime))
}

/** Returns the entries of one world. Only HAR files of this emulator have several. */
function ofWorld(entries: readonly Fields[], file: string, world: string | undefined): Fields[] {
  const worlds = groupsOf(entries, (entry) => {
    const own = fieldsOf(entry['_svtrain'])
    return 'world' in own ? (textIn(own['world']) ?? textIn(entry['pageref']) ?? '') : ''
  })
  const names = [...worlds.keys()].filter((name) => name !== '')
  if (world !== undefined && !worlds.has(world)) {
    throw new RecordingError(
      names.length === 0
        ? `"${file}" has no worlds. Leave out --world ${world}.`
        : `"${file}" has no world "${world}". It has ${names.join(', ')}. Did you mean --world ${mostSimilar(world, names)}?`,
    )
  }
  if (world !== undefined) return worlds.get(world)!
  if (worlds.size <= 1) return [...entries]
  const counts = [...worlds].map(([name, own]) => `${name} (${counted(own.length, 'request')})`)
  const shown = counts.slice(0, MOST_WORLDS)
  const rest = counts.length - shown.length
  throw new RecordingError(
    `"${file}" has the requests of ${counts.length} worlds: ${shown.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}. A scenario shows one of them. Choose it: --world ${names[0]}.`,
  )
}

const MOST_WORLDS = 20

/** Names where the calls went: another service may have the same paths. */
function hostsNote(entries: readonly Fields[]): string {
  const hosts = [
    ...new Set(entries.map(({ request }) => new URL(String(fieldsOf(request)['url'])).host)),
  ]
  const more = hosts.length > MOST_HOSTS ? ` and ${hosts.length - MOST_HOSTS} more` : ''
  return `The calls went to ${hosts.slice(0, MOST_HOSTS).join(', ')}${more}.`
}

const MOST_HOSTS = 5

/** The clock of the emulator that wrote the file. Undefined: another tool did. */
function ownClock({ creator, comment }: Fields): string | undefined {
  if (fieldsOf(creator)['name'] !== 'svtrain-emulator') return undefined
  return /\bclock (\w+)/.exec(textIn(comment) ?? '')?.[1]
}

/** Whether a clock skips time when a client asks for what happens later. */
export function skipsTime(clock: string | undefined): boolean {
  return clock === 'auto' || clock === 'instant'
}

/** What the file does not say about jobs, which only its calls show then. */
function jobNotes(log: Fields, clock: string | undefined): string[] {
  if (clock === undefined) return []
  const run = log['_svtrain']
  if (run === undefined) {
    return skipsTime(clock)
      ? [
          `The file is of an older version, which did not write what happened to jobs. Under its clock ${clock}, calls do not show when it happened. Write it again with this version.`,
        ]
      : []
  }
  const { jobs_left_out: left } = fieldsOf(run)
  if (typeof left !== 'number' || left === 0) return []
  return [
    `${counted(left, 'job')} did not fit into the file. Only calls show what happened to ${left === 1 ? 'it' : 'them'}.`,
  ]
}

/**
 * The origins of the inference API: those whose calls it has, beside others with calls that only the training API has.
 * The path of a chat alone does not tell them apart.
 */
function inferenceOrigins(places: readonly Place[]): ReadonlySet<string> {
  const calls = places.filter(({ hosts }) => hosts.length > 0)
  const ofTraining = new Set(
    calls.filter(({ hosts }) => !hosts.includes('inference')).map(({ origin }) => origin),
  )
  const others = calls.map(({ origin }) => origin).filter((origin) => !ofTraining.has(origin))
  const known = DOCUMENTED_ADDRESSES.filter(({ api }) => api === 'inference')
  return new Set([
    ...known.map(({ url }) => new URL(url).origin),
    ...(ofTraining.size > 0 ? others : []),
  ])
}

interface HarFacts {
  /** Bodies may be in files beside it. */
  readonly file: string
  readonly clock: string | undefined
  /** The origins of the inference API. */
  readonly inference: ReadonlySet<string>
}

class Reader {
  readonly #facts: HarFacts
  /** The calls whose bodies are not whole, once for each body. */
  readonly missing: string[] = []

  constructor(facts: HarFacts) {
    this.#facts = facts
  }

  read(entry: Fields, place: Place, id: number): RecordedExchange {
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
    if (place.hosts.length > 0) {
      const missing = [body, answer].filter((each) => each === undefined)
      this.missing.push(...missing.map(() => `${place.method} ${place.path}`))
    }
    const hits = listIn(faults).map(fieldsOf)
    const isDelayed = hits.some(({ fault }) => fault === 'delay')
    return {
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

/** What a call of a file was made to. */
interface Place {
  readonly origin: string
  readonly method: string
  /** The part of the address below the base URL. An address without one is that of something else. */
  readonly path: string
  readonly query: string
  /** The APIs that have such a call. */
  readonly hosts: readonly Host[]
}

type RecordedCall = Pick<RecordedExchange['request'], 'host' | 'method' | 'path' | 'query'>

function calledPlace({ request }: Fields): Place {
  const { method: given, url } = fieldsOf(request)
  const method = String(given)
  const { origin, pathname, search } = new URL(String(url))
  const to = { origin, method, query: search.slice(1) }
  for (const { index } of pathname.matchAll(/\/v1(?=\/)/g)) {
    const path = pathname.slice(index + '/v1'.length)
    const hosts = hostsOf(method, path)
    if (hosts.length > 0) return { ...to, path, hosts }
  }
  return { ...to, path: `${origin}${pathname}`, hosts: [] }
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
  return /abort|cancel/i.test(error ?? '') ? 'client_left' : 'lost'
}
