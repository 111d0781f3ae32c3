import { authorizationOf, keyOf } from '../api/authenticate.js'
import type { Engine } from '../engine/engine.js'
import type { RequestEntry } from '../engine/journal.js'
import type { Emulator } from '../emulator/emulator.js'
import { findingsIn } from '../testing/client-checks.js'
import { HIDDEN } from '../text/redact.js'
import { findingJson } from './evidence.js'
import { requestJson } from './journal-entry.js'
import type { RequestDetail } from './schemas.js'

/** The most characters of a body of a request that are given out. */
const LONGEST_BODY = 65_536

/** Headers whose value is a credential. The first word of an authorization may stay. */
const CREDENTIALS = ['x-api-key', 'api-key', 'cookie', 'set-cookie', 'proxy-authorization']

/** A shorter key, such as `a`, may be a part of any word. Headers never show it. */
const SHORTEST_KEY = 6

type Redact = (text: string) => string

/** Everything that is known about a request, without keys and secrets. */
export function requestDetail(entry: RequestEntry, emulator: Emulator): RequestDetail {
  const { engine } = emulator
  const redact = redactorFor(entry, emulator)
  const job = jobOf(entry, engine)
  const named = modelOf(entry, engine)
  const findings = findingsIn(emulator).filter(({ requests }) => requests.includes(entry.id))
  return {
    ...requestJson(entry, emulator.worldName),
    request: sentBy(entry, redact),
    response: answerTo(entry, redact),
    problems: problemsIn(entry, redact),
    faults: entry.faults.map(({ id, name, fault }) => ({ id, name, fault })),
    chat_rule: entry.chatRule ?? null,
    findings: findings.map(findingJson),
    model: job?.model.name ?? (named === undefined ? null : redact(named)),
    job_id: job?.id ?? null,
    caused: emulator.journal.entries.filter(({ cause }) => cause === entry.id).map(({ id }) => id),
  }
}

function redactorFor(entry: RequestEntry, { engine, webhooks }: Emulator): Redact {
  const keys = [
    keyOf(authorizationOf(entry)) ?? '',
    entry.headers['x-api-key'] ?? '',
    ...Object.keys(engine.scenario.auth.keys ?? {}),
  ]
  const hidden = keys
    .filter(({ length }) => length >= SHORTEST_KEY)
    .sort((one, other) => other.length - one.length)
  return (text) => {
    return hidden.reduce((left, key) => left.replaceAll(key, HIDDEN), webhooks.withoutSecrets(text))
  }
}

function redactedHeaders(
  headers: Readonly<Record<string, string | undefined>>,
  redact: Redact,
): Record<string, string> {
  const shown = Object.entries(headers).map(([name, value = '']) => {
    if (name === 'authorization') return [name, value.replace(/(?<=^\S*\s).*/, HIDDEN)]
    return [name, CREDENTIALS.includes(name.toLowerCase()) ? HIDDEN : redact(value)]
  })
  return Object.fromEntries(shown) as Record<string, string>
}

function sentBy(entry: RequestEntry, redact: Redact): RequestDetail['request'] {
  const { bodyText, bodyForgotten, bodyLength } = entry
  const body = bodyText?.slice(0, LONGEST_BODY)
  return {
    headers: redactedHeaders(entry.headers, redact),
    body: body === undefined ? null : redact(body),
    size: bodyLength ?? 0,
    state: bodyForgotten ? 'dropped' : stateOf(bodyText?.length, LONGEST_BODY),
  }
}

function answerTo({ response }: RequestEntry, redact: Redact): RequestDetail['response'] {
  if (!response) return null
  const { headers, text, length } = response
  return {
    headers: redactedHeaders(headers, redact),
    body: text === undefined || text === '' ? null : redact(text),
    size: length,
    state: text === undefined ? 'dropped' : stateOf(length, text.length),
  }
}

function stateOf(length = 0, shown: number): 'empty' | 'whole' | 'cut' {
  if (length === 0) return 'empty'
  return length > shown ? 'cut' : 'whole'
}

/** Why a request was refused: the problems of a 422, or the parameter that an error of the inference host names. */
function problemsIn(
  { status = 0, response }: RequestEntry,
  redact: Redact,
): RequestDetail['problems'] {
  if (status < 400 || response?.text === undefined) return []
  const { detail, error } = Object(parsed(response.text)) as Record<string, unknown>
  if (Array.isArray(detail)) {
    return detail.flatMap((each: unknown) => {
      const { loc, msg, type } = Object(each) as Record<string, unknown>
      if (!Array.isArray(loc) || typeof msg !== 'string') return []
      return [{ loc: loc as (string | number)[], msg: redact(msg), type: String(type) }]
    })
  }
  const { param, message, type } = Object(error) as Record<string, unknown>
  if (typeof message !== 'string' || typeof param !== 'string') return []
  return [{ loc: ['body', ...param.split('.')], msg: redact(message), type: String(type) }]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi

/** The job that a request created, read, or names in its path. */
function jobOf({ id, jobView, path }: RequestEntry, { store }: Engine) {
  const read = jobView && store.jobs.get(jobView.jobId)
  if (read) return read
  for (const named of path.match(UUID) ?? []) {
    const job = store.jobs.get(named)
    if (job) return job
  }
  for (const job of store.jobs.values()) if (job.cause === id) return job
  return undefined
}

/** The name of the model that a request is about. */
function modelOf({ path, body }: RequestEntry, { store }: Engine): string | undefined {
  for (const named of path.match(UUID) ?? []) {
    const model = store.model(named.toLowerCase())
    if (model) return model.record.name
  }
  const { model_id: id, model, name } = Object(body) as Record<string, unknown>
  const found = typeof id === 'string' ? store.model(id.toLowerCase()) : undefined
  if (found) return found.record.name
  return [model, name].find((each): each is string => typeof each === 'string')
}
