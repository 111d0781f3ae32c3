import { parseJson } from '../../base/text/json-text.js'
import type { Engine } from '../../service/engine/engine.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { Headers } from '../../service/engine/journal-entry.js'
import type { RequestEntry } from '../../service/engine/journal.js'
import { LONGEST_RESPONSE } from '../../service/engine/journal-records.js'
import type { Emulator } from '../emulator.js'
import { findingsIn, type Finding } from '../testing/client-checks.js'
import { redactedHeaders, type Redactor } from '../../base/text/redaction/redact.js'
import { findingJson } from './evidence.js'
import { requestJson } from './journal-entry.js'
import type { RequestDetail } from './schemas.js'

/** What is known about the requests of a world, without keys and secrets. It is read once for all of them. */
export class RequestDetails {
  /** Removes the secrets of the world, and those that clients sent. */
  readonly redactor: Redactor
  readonly #emulator: Emulator
  readonly #findings: readonly Finding[]
  /** The ids of the entries that each entry caused. */
  readonly #caused = new Map<number, number[]>()
  /** The names of all models. */
  readonly #models: ReadonlySet<string>
  /** The jobs that requests created. */
  readonly #created = new Map<number, Job>()

  constructor(emulator: Emulator) {
    this.#emulator = emulator
    this.redactor = emulator.journal.redactor
    this.#findings = findingsIn(emulator)
    const models = [...emulator.engine.store.modelStates]
    this.#models = new Set(models.map(({ record }) => record.name))
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
      // A key may be the name of a model. Only the field of a model shows it.
      model: job?.model.name ?? (named === undefined ? null : this.#modelName(named)),
      job_id: job?.id ?? null,
      caused: this.#caused.get(entry.id) ?? [],
    }
  }

  #modelName(name: string): string {
    return this.#models.has(name) ? name : this.redactor.redact(name)
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

/** Redacts all texts in a value. */
function redacted<Value>(value: Value, redactor: Redactor): Value {
  if (typeof value === 'string') return redactor.redact(value) as Value
  if (Array.isArray(value)) return value.map((each) => redacted(each, redactor)) as Value
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, each]) => [name, redacted(each, redactor)])
  return Object.fromEntries(fields) as Value
}

function sentBy(entry: RequestEntry, redactor: Redactor): RequestDetail['request'] {
  const { shownBody, bodyForgotten, bodyLength = 0 } = entry
  const state = bodyForgotten ? 'dropped' : stateOf(bodyLength, shownBody?.isCut)
  return {
    headers: redactedAgain(entry.shownHeaders, redactor),
    body: shownBody === undefined ? null : redactor.redact(shownBody.text),
    size: bodyLength,
    state,
  }
}

function answerTo({ response }: RequestEntry, redactor: Redactor): RequestDetail['response'] {
  if (!response) return null
  const { headers, text, length } = response
  return {
    headers: redactedAgain(headers, redactor),
    body: text === undefined || text === '' ? null : redactor.redact(text),
    size: length,
    state: text === undefined ? 'dropped' : stateOf(length, length > LONGEST_RESPONSE),
  }
}

/** Removes secrets that became known after the call. */
function redactedAgain(headers: Headers, redactor: Redactor): Record<string, string> {
  return redactedHeaders(headers, (text) => redactor.redact(text))
}

function stateOf(length: number, isCut = false): 'empty' | 'whole' | 'cut' {
  if (length === 0) return 'empty'
  return isCut ? 'cut' : 'whole'
}

/** Why a request was refused: the problems of a 422, or the parameter that an error of the inference host names. */
function problemsIn({ status = 0, response }: RequestEntry): RequestDetail['problems'] {
  if (status < 400 || response?.text === undefined) return []
  const { detail, error } = Object(parseJson(response.text)) as Record<string, unknown>
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
