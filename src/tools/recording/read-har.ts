import { counted, firstOf, groupsOf } from '../../base/text/counted.js'
import { shortJson } from '../../base/text/shortened.js'
import { mostSimilar } from '../../base/text/nearest.js'
import {
  fieldsOf,
  listIn,
  textIn,
  type Fields,
  type RecordedExchange,
  type ScenarioPart,
} from './exchanges.js'
import { ownClock, skipsTime } from './har-clock.js'
import { HarEntries, startOf } from './har-entries.js'
import { calledPlace, inferenceOrigins } from './har-places.js'
import type { KnownJob } from './seen-job.js'
import { jobsOfRun, webhooksOfRun } from './own-run.js'
import { RecordingError } from './recording-error.js'
import { Secrets } from './secrets.js'
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
  for (const [index, each] of all.entries())
    assertEntry(each, `"${file}" is not a HAR 1.2 file: log.entries[${index}]`)
  const entries = ofWorld(all, file, world)
  const clock = ownClock(log)
  const sorted = [...entries].sort((one, other) => startOf(one) - startOf(other))
  const places = sorted.map(calledPlace)
  const reader = new HarEntries({ file, clock, inference: inferenceOrigins(places) })
  const read = sorted.map((entry, index) => reader.read(entry, places[index]!, index + 1))
  const recorded = read.map((each) => each.recorded)
  const missing = read.flatMap((each, index) => {
    const { method, path } = places[index]!
    return Array.from({ length: each.missing }, () => `${method} ${path}`)
  })
  const start = recorded[0]?.request.at
  const requests = new Map(
    sorted.map((entry, index) => [fieldsOf(entry['_svtrain'])['id'], index + 1]),
  )
  const losses = missing.length === 0 ? [] : [missingNote(missing)]
  if (clock === undefined) {
    const notes = [hostsNote(entries), ...(missing.length > 0 ? [SAVE_CONTENTS] : [])]
    return { recorded: withoutSecrets(recorded), contents: 'recorded', notes, losses }
  }
  return {
    recorded,
    contents: contentsOfRun(log, recorded),
    notes: jobNotes(log, clock),
    losses,
    jobs: jobsOfRun(log, { world, requests, start }),
    clock,
    webhooks: webhooksOfRun(log, world),
  }
}

/** Removes credentials that any request sent, and what looks like one. Files of other tools have them all. */
function withoutSecrets(recorded: readonly RecordedExchange[]): RecordedExchange[] {
  const secrets = new Secrets()
  for (const { request, response } of recorded) {
    const headers = [request.headers, response?.headers ?? {}].flatMap(Object.entries<string>)
    for (const [name, value] of headers) secrets.addHeader(name, value)
    secrets.addQuery(request.query)
  }
  return recorded.map(({ request, text, ...rest }) => {
    const { body } = request
    const shown = { ...request, ...(body !== undefined && { body: secrets.redact(body) }) }
    return { ...rest, request: shown, text: secrets.redact(text) }
  })
}

/** Whether a file of the emulator has contents. Older files do not say it, but show it. */
function contentsOfRun(log: Fields, recorded: readonly RecordedExchange[]): FileCalls['contents'] {
  const { contents } = fieldsOf(log['_svtrain'])
  if (contents !== undefined) return contents === 'redacted' ? 'redacted' : 'recorded'
  const texts = recorded.flatMap(({ request, text }) => [request.body ?? '', text])
  return texts.some((text) => LENGTH.test(text)) ? 'redacted' : 'recorded'
}

/** What files of version 0.2 have in place of a text, or of token ids. */
const LENGTH = /"\[\d+ (?:characters?|numbers)\]"/

function missingNote(missing: readonly string[]): string {
  const { length } = missing
  const calls = [...new Set(missing)]
  const more = calls.length > MOST_CALLS ? `, and ${calls.length - MOST_CALLS} more` : ''
  const are = length === 1 ? 'is' : 'are'
  return `${counted(length, 'body', 'bodies')} ${are} not whole in the file, and ${are} not used: ${calls.slice(0, MOST_CALLS).join(', ')}${more}.`
}

const MOST_CALLS = 3

/** @throws {RecordingError} When an entry lacks what each has. The message names it, and its value. */
function assertEntry(entry: Fields, place: string): void {
  const { startedDateTime, request, response } = entry
  const { method, url } = fieldsOf(request)
  const { status } = fieldsOf(response)
  const facts: [name: string, value: unknown, isRight: boolean, expected: string][] = [
    ['startedDateTime', startedDateTime, !Number.isNaN(startOf(entry)), 'a time in ISO 8601'],
    ['request.method', method, typeof method === 'string', 'a text'],
    ['request.url', url, URL.canParse(textIn(url) ?? ''), 'a whole URL'],
    ['response.status', status, typeof status === 'number', 'a number, 0 without an answer'],
  ]
  const wrong = facts.find(([, , isRight]) => !isRight)
  if (!wrong) return
  const [name, value, , expected] = wrong
  const is = value === undefined ? 'missing' : new Secrets().redact(shortJson(value, LONGEST_VALUE))
  throw new RecordingError(
    `${place}.${name} is ${is}. Expected ${expected}. Save the file again, or remove the entry.`,
  )
}

const LONGEST_VALUE = 60

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
  return `The calls went to ${firstOf(hosts, MOST_HOSTS)}.`
}

const MOST_HOSTS = 5

/** What the file does not say about jobs, which only its calls show then. */
function jobNotes(log: Fields, clock: string): string[] {
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
