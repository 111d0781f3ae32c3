import { groupsOf } from '../../base/text/counted.js'
import { parseJson } from '../../base/text/json-text.js'
import type { Engine } from '../../service/engine/engine.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { JournalEntry, RequestEntry } from '../../service/engine/journal.js'
import type { RecordedResponse } from '../../service/engine/journal-entry.js'
import { LONGEST_RESPONSE } from '../../service/engine/journal-records.js'
import { withoutQuote } from '../../service/engine/lineage/answer-change.js'
import type { Emulator } from '../emulator.js'
import type { ReportContents } from '../report-options.js'
import { findingsIn, type ClientChecks, type Finding } from '../testing/client-checks.js'
import { idsIn, jobNamedIn } from '../testing/job-of-request.js'
import { redactionOf, shownCall, type Redact } from '../../service/engine/shown-entry.js'
import { findingJson } from './evidence.js'
import { requestJson } from './journal-entry.js'
import type { RequestDetail } from './schemas/requests.js'
import { sentValues } from './sent-value.js'

interface DetailOptions {
  /** The client checks that run. Default: all. */
  readonly checks?: ClientChecks | undefined
  /** Whether findings quote answers. Default: they do. */
  readonly contents?: ReportContents | undefined
}

function withoutContents(finding: Finding): Finding {
  return { ...finding, text: withoutQuote(finding.text, finding.quote) }
}

/** What is known about the requests of a world, without keys and secrets. It is read once for all of them. */
export class RequestDetails {
  readonly #emulator: Emulator
  readonly findings: readonly Finding[]
  /** The entries that each entry caused, by its id. */
  readonly #caused: ReadonlyMap<number | undefined, readonly JournalEntry[]>
  /** The names of all models. */
  readonly #models: ReadonlySet<string>
  /** The jobs that requests created. */
  readonly #created = new Map<number, Job>()

  constructor(emulator: Emulator, { checks, contents }: DetailOptions = {}) {
    this.#emulator = emulator
    const found = findingsIn(emulator, checks)
    this.findings = contents === 'redacted' ? found.map(withoutContents) : found
    const models = [...emulator.engine.store.modelStates]
    this.#models = new Set(models.map(({ record }) => record.name))
    this.#caused = groupsOf(emulator.journal.entries, ({ cause }) => cause)
    for (const job of emulator.engine.store.jobs.values()) {
      if (job.cause !== undefined && !this.#created.has(job.cause))
        this.#created.set(job.cause, job)
    }
  }

  /** Everything that is known about a request. */
  of(entry: RequestEntry): RequestDetail {
    const { engine, worldName } = this.#emulator
    const redact = redactionOf(entry)
    const job = this.#jobOf(entry)
    const named = modelOf(entry, engine)
    const findings = this.findings.filter(({ requests }) => requests.includes(entry.id))
    const shown = { ...requestJson(entry, worldName), ...messagesOf(entry) }
    const problems = problemsIn(entry).map((problem) => withoutSecrets(problem, redact))
    const sent = sentValues(shown, problems)
    return {
      ...shown,
      problems: problems.map((problem, at) => ({ ...problem, sent: sent[at]! })),
      faults: entry.faults.map(({ id, name, fault }) => ({ id, name, fault })),
      chat_rule: entry.chatRule ?? null,
      findings: findings.map((finding) => {
        return { ...findingJson(finding), text: redact(finding.text) }
      }),
      // A key may be the name of a model. Only the field of a model shows it.
      model: job?.model.name ?? (named === undefined ? null : this.#modelName(named, redact)),
      job_id: job?.id ?? null,
      caused: this.#caused.get(entry.id)?.map(({ id }) => id) ?? [],
    }
  }

  #modelName(name: string, redact: Redact): string {
    return this.#models.has(name) ? name : redact(name)
  }

  /** The job that a request names in its path, or created. */
  #jobOf(entry: RequestEntry): Job | undefined {
    return jobNamedIn(entry, this.#emulator.engine.store) ?? this.#created.get(entry.id)
  }
}

function withoutSecrets({ loc, msg, type }: Problem, redact: Redact): Problem {
  const place = loc.map((part) => (typeof part === 'string' ? redact(part) : part))
  return { loc: place, msg: redact(msg), type }
}

/** What was sent and answered. */
function messagesOf(entry: RequestEntry): Pick<RequestDetail, 'request' | 'response'> {
  const { bodyForgotten, bodyLength = 0 } = entry
  const { headers, body, response } = shownCall(entry)
  const state = bodyForgotten ? 'dropped' : stateOf(bodyLength, body?.isCut)
  return {
    request: { headers, body: body?.text ?? null, size: bodyLength, state },
    response: response ? answered(response) : null,
  }
}

function answered({ headers, text, length }: RecordedResponse): RequestDetail['request'] {
  const state = text === undefined ? 'dropped' : stateOf(length, length > LONGEST_RESPONSE)
  return { headers: { ...headers }, body: text === '' ? null : (text ?? null), size: length, state }
}

function stateOf(length: number, isCut = false): 'empty' | 'whole' | 'cut' {
  if (length === 0) return 'empty'
  return isCut ? 'cut' : 'whole'
}

/** Why a request was refused: the problems of a 422, or the parameter that an error of the inference host names. */
function problemsIn({ status = 0, problems, response }: RequestEntry): readonly Problem[] {
  if (problems.length > 0 || status < 400 || response?.text === undefined) return problems
  const { error } = Object(parseJson(response.text)) as Record<string, unknown>
  const { param, message, type } = Object(error) as Record<string, unknown>
  if (typeof message !== 'string' || typeof param !== 'string') return []
  return [{ loc: ['body', ...param.split('.')], msg: message, type: String(type) }]
}

type Problem = Omit<RequestDetail['problems'][number], 'sent'>

/** The name of the model that a request is about. */
function modelOf({ path, body }: RequestEntry, { store }: Engine): string | undefined {
  for (const named of idsIn(path)) {
    const model = store.model(named)
    if (model) return model.record.name
  }
  const { model_id: id, model, name } = Object(body) as Record<string, unknown>
  const found = typeof id === 'string' ? store.model(id.toLowerCase()) : undefined
  if (found) return found.record.name
  return [model, name].find((each): each is string => typeof each === 'string')
}
