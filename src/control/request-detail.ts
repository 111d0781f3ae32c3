import type { Engine } from '../engine/engine.js'
import type { Job } from '../engine/jobs/job.js'
import type { Headers } from '../engine/journal-entry.js'
import type { RequestEntry } from '../engine/journal.js'
import type { Emulator } from '../emulator/emulator.js'
import { findingsIn, type Finding } from '../testing/client-checks.js'
import type { Redactor } from '../text/redact.js'
import { findingJson } from './evidence.js'
import { requestJson } from './journal-entry.js'
import { credentialIn, redactedHeaders } from './redacted-headers.js'
import type { RequestDetail } from './schemas.js'

/** The most characters of a body of a request that are given out. */
const LONGEST_BODY = 65_536

/** What is known about the requests of a world, without keys and secrets. It is read once for all of them. */
export class RequestDetails {
  /** Hides the secrets of the world, and all keys that clients may have sent. */
  readonly redactor: Redactor
  readonly #emulator: Emulator
  readonly #findings: readonly Finding[]
  /** The ids of the entries that each entry caused. */
  readonly #caused = new Map<number, number[]>()
  /** The jobs that requests created. */
  readonly #created = new Map<number, Job>()

  constructor(emulator: Emulator) {
    this.#emulator = emulator
    this.redactor = emulator.webhooks.redactor(keysOf(emulator))
    this.#findings = findingsIn(emulator)
    for (const { id, cause } of emulator.journal.entries) {
      if (cause === undefined) continue
      const caused = this.#caused.get(cause)
      if (caused) caused.push(id)
      else this.#caused.set(cause, [id])
    }
    for (const job of emulator.engine.store.jobs.values()) {
      if (job.cause !== undefined && !this.#created.has(job.cause))
        this.#created.set(job.cause, job)
    }
  }

  /** Everything that is known about a request. */
  of(entry: RequestEntry): RequestDetail {
    const { redactor } = this
    const { engine, worldName } = this.#emulator
    const job = this.#jobOf(entry)
    const named = modelOf(entry, engine)
    const findings = this.#findings.filter(({ requests }) => requests.includes(entry.id))
    const listed = requestJson(entry, worldName)
    const { path, query, text, detail, hint, effects } = listed
    const texts = { path, query, text, detail, hint, effects } as Partial<RequestDetail>
    return {
      ...listed,
      // The other fields have words of this API. A key can be one of them.
      ...redacted(texts, redactor),
      request: sentBy(entry, redactor),
      response: answerTo(entry, redactor),
      problems: problemsIn(entry).map(({ loc, msg, type }) => {
        return { ...redacted({ loc, msg }, redactor), type }
      }),
      faults: entry.faults.map(({ id, name, fault }) => ({ id, name, fault })),
      chat_rule: entry.chatRule ?? null,
      findings: findings.map((finding) => {
        return { ...findingJson(finding), text: redactor.redact(finding.text) }
      }),
      model: redacted(job?.model.name ?? named ?? null, redactor),
      job_id: job?.id ?? null,
      caused: this.#caused.get(entry.id) ?? [],
    }
  }

  /** The job that a request created, read, or names in its path. */
  #jobOf({ id, jobView, path }: RequestEntry): Job | undefined {
    const { jobs } = this.#emulator.engine.store
    const read = jobView && jobs.get(jobView.jobId)
    if (read) return read
    for (const named of path.match(UUID) ?? []) {
      const job = jobs.get(named)
      if (job) return job
    }
    return this.#created.get(id)
  }
}

/** All keys that clients may have sent here: those that are configured, and those of the requests. */
function keysOf({ engine, journal, apiKey, controlToken }: Emulator): Set<string> {
  const keys = new Set([
    apiKey,
    controlToken ?? '',
    ...Object.keys(engine.scenario.auth.keys ?? {}),
  ])
  // Requests with the same headers share one object.
  const seen = new Set<Headers>()
  for (const entry of journal.entries) {
    if (entry.kind !== 'request' || seen.has(entry.headers)) continue
    seen.add(entry.headers)
    for (const [name, value = ''] of Object.entries(entry.headers)) {
      const credential = credentialIn(name, value)
      if (credential !== undefined) keys.add(credential)
    }
  }
  return keys
}

/** Redacts all texts in a value. */
function redacted<Value>(value: Value, redactor: Redactor): Value {
  if (typeof value === 'string') return redactor.redact(value) as Value
  if (Array.isArray(value)) return value.map((each) => redacted(each, redactor)) as Value
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, each]) => [name, redacted(each, redactor)])
  return Object.fromEntries(fields) as Value
}

function sentBy(entry: RequestEntry, redactor: Redactor): RequestDetail['request'] {
  const { bodyText, bodyForgotten, bodyLength } = entry
  const state = bodyForgotten ? 'dropped' : stateOf(bodyText?.length, LONGEST_BODY)
  return {
    headers: redactedHeaders(entry.headers, (each) => redactor.redact(each)),
    body: bodyText === undefined ? null : shownBody(bodyText, { state, redactor }),
    size: bodyLength ?? 0,
    state,
  }
}

function answerTo({ response }: RequestEntry, redactor: Redactor): RequestDetail['response'] {
  if (!response) return null
  const { headers, text, length } = response
  const state = text === undefined ? 'dropped' : stateOf(length, text.length)
  return {
    headers: redactedHeaders(headers, (each) => redactor.redact(each)),
    body: text === undefined || text === '' ? null : shownBody(text, { state, redactor }),
    size: length,
    state,
  }
}

function shownBody(
  text: string,
  { state, redactor }: { state: string; redactor: Redactor },
): string {
  if (state !== 'cut') return redactor.redact(text)
  return redactor.redactStart(text.slice(0, LONGEST_BODY))
}

function stateOf(length = 0, shown: number): 'empty' | 'whole' | 'cut' {
  if (length === 0) return 'empty'
  return length > shown ? 'cut' : 'whole'
}

/** Why a request was refused: the problems of a 422, or the parameter that an error of the inference host names. */
function problemsIn({ status = 0, response }: RequestEntry): RequestDetail['problems'] {
  if (status < 400 || response?.text === undefined) return []
  const { detail, error } = Object(parsed(response.text)) as Record<string, unknown>
  if (Array.isArray(detail)) {
    return detail.flatMap((each: unknown) => {
      const { loc, msg, type } = Object(each) as Record<string, unknown>
      if (!Array.isArray(loc) || typeof msg !== 'string') return []
      return [{ loc: loc as (string | number)[], msg, type: String(type) }]
    })
  }
  const { param, message, type } = Object(error) as Record<string, unknown>
  if (typeof message !== 'string' || typeof param !== 'string') return []
  return [{ loc: ['body', ...param.split('.')], msg: message, type: String(type) }]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi

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
