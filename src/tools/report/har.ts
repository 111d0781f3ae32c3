import { isJson } from '../../base/text/json-text.js'
import type { RequestDetail } from '../../emulator/control/schemas/requests.js'
import { RequestDetails } from '../../emulator/control/request-detail.js'
import type { Emulator } from '../../emulator/emulator.js'
import {
  HIDDEN_CHANGES,
  type Har,
  type HarDetails,
  type HarEntry,
  type HarFault,
  type HarField,
  type HarJob,
  type HarRun,
  type HarWebhooks,
} from '../../emulator/har.js'
import type { HarOptions, ReportContents } from '../../emulator/report-options.js'
import { lostText } from '../../emulator/testing/format.js'
import { origin } from '../../emulator/testing/world.js'
import { usedWorlds } from '../../emulator/testing/used-worlds.js'
import { HIDDEN } from '../../base/text/redaction/hidden.js'
import { checkScenario } from '../../service/scenario/check-scenario.js'
import { secretNames } from '../../service/scenario/missing-secrets.js'
import type { FaultRule } from '../../service/scenario/scenario.js'
import { withoutDefaults } from '../../service/scenario/scenario-text.js'
import { toIso } from '../../base/text/iso.js'
import { version } from '../../base/text/version.js'
import type { FaultHit } from '../../service/engine/journal-entry.js'
import type { Job } from '../../service/engine/jobs/job.js'
import { withoutContents } from './contents.js'

/** The requests of all worlds as HAR 1.2: http://www.softwareishard.com/blog/har-12-spec/ */
export function harOf(emulator: Emulator, { contents }: HarOptions): Har {
  const worlds = usedWorlds(emulator)
  const isOne = worlds.length === 1
  const shown = contents === 'redacted' ? withoutContents : asItIs
  const entries = worlds.flatMap((world) => entriesOf(world, { isOne, contents, shown }))
  return {
    log: {
      version: '1.2',
      creator: { name: 'svtrain-emulator', version },
      ...(!isOne && { pages: worlds.map(pageOf) }),
      entries: isOne ? entries : entries.sort(byTime),
      comment: `svtrain-emulator: ${origin(emulator)}. Times are those of its clock.`,
      _svtrain: {
        clock: emulator.clock.mode,
        contents: contents ?? 'shown',
        ...runOf(worlds, shown),
      },
    },
  }
}

function byTime(one: HarEntry, other: HarEntry): number {
  if (one.startedDateTime === other.startedDateTime) return 0
  return one.startedDateTime < other.startedDateTime ? -1 : 1
}

const asItIs = (text: string): string => text

function pageIdOf({ worldName }: Emulator): string {
  return worldName ?? 'all-keys'
}

function pageOf(world: Emulator) {
  const [first] = world.journal.entries
  return {
    id: pageIdOf(world),
    title: `${pageIdOf(world)} (${origin(world)})`,
    startedDateTime: toIso(first?.at ?? world.clock.now()),
    pageTimings: {},
  }
}

interface Form {
  readonly isOne: boolean
  readonly contents: ReportContents | undefined
  readonly shown: (text: string) => string
}

function entriesOf(world: Emulator, { isOne, contents, shown }: Form): HarEntry[] {
  const details = new RequestDetails(world, { contents })
  const live = new Map(world.engine.faults.all.map((fault) => [fault.id, fault]))
  const urls = {
    training: world.trainingUrl.replace(/\/v1$/, ''),
    inference: world.inferenceUrl.replace(/\/v1$/, ''),
  }
  return world.journal.entries.flatMap((entry) => {
    if (entry.kind !== 'request') return []
    const detail = details.of(entry)
    const base = urls[detail.host === 'inference' ? 'inference' : 'training']
    const answeredAt = entry.answeredAt === undefined ? null : toIso(entry.answeredAt)
    const faults = entry.faults.map((hit) => {
      // The scenario may have been replaced since.
      const fault = live.get(hit.id)
      const rule = fault && fault.began <= entry.at ? fault.rule : undefined
      return faultOf(hit, { rule, shown, redactor: world.journal.redactor })
    })
    const own = entryOf(detail, { base, shown, answeredAt, faults })
    return [{ ...(!isOne && { pageref: pageIdOf(world) }), ...own }]
  })
}

interface LiveFault extends Pick<Form, 'shown'> {
  /** Undefined if the fault is gone. */
  readonly rule: FaultRule | undefined
  readonly redactor: Emulator['journal']['redactor']
}

/** A fault that hit a request. The values that an edit sets may be contents. */
function faultOf({ name, fault }: FaultHit, { rule, shown, redactor }: LiveFault): HarFault {
  const fields = HIDDEN_CHANGES[fault] ?? []
  const isKnown = rule?.fault === fault && (shown === asItIs || !('set' in rule))
  if (fields.length === 0 || !isKnown) return { name, fault }
  const own = Object.entries(rule).filter(([field]) => fields.includes(field))
  const text = redactor.redact(JSON.stringify(Object.fromEntries(own)))
  return { name, fault, change: JSON.parse(text) as Record<string, unknown> }
}

function entryOf(
  detail: RequestDetail,
  {
    base,
    shown,
    answeredAt,
    faults,
  }: Pick<Form, 'shown'> & Pick<HarDetails, 'faults'> & { base: string; answeredAt: string | null },
): HarEntry {
  const took = detail.took ?? 0
  const { path, query } = detail
  const search = query === '' ? '' : `?${query}`
  return {
    startedDateTime: detail.at,
    time: took,
    request: {
      method: detail.method,
      url: `${base}${path}${search}`,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: fieldsOf(detail.request.headers),
      queryString: [...new URLSearchParams(query)].map(([name, value]) => ({ name, value })),
      ...sentBody(detail.request, shown),
      headersSize: -1,
      bodySize: detail.request.size,
    },
    response: responseOf(detail, shown),
    cache: {},
    timings: { send: 0, wait: took, receive: 0 },
    _svtrain: {
      id: detail.id,
      world: detail.world,
      answered_at: answeredAt,
      operation: detail.operation ?? null,
      lost: detail.lost ?? null,
      detail: detail.detail ?? null,
      faults,
      effects: detail.effects,
      findings: detail.findings.map(({ text }) => text),
      model: detail.model,
      job_id: detail.job_id,
    },
  }
}

/** The most events of all jobs. A file that nothing can open shows nothing. */
const MOST_EVENTS = 20_000

/** The latest jobs of all worlds, with what happened to them. */
function runOf(
  worlds: readonly Emulator[],
  shown: (text: string) => string,
): Omit<HarRun, 'clock' | 'contents'> {
  const all = worlds
    .flatMap((world) => [...world.engine.store.jobs.values()].map((job) => ({ world, job })))
    .sort((one, other) => one.job.createdAt - other.job.createdAt)
  let from = all.length
  for (let room = MOST_EVENTS; from > 0; from--) {
    room -= all[from - 1]!.job.events.count
    if (room < 0) break
  }
  return {
    jobs: all.slice(from).map(({ world, job }) => jobOf(world, job, shown)),
    jobs_left_out: from,
    webhooks: worlds.flatMap(webhooksOf),
  }
}

/** The webhooks of a world. Its scenario says all copies of deliveries, and a receiver decides which are retried. */
function webhooksOf({ worldName, webhooks: { written: parts } }: Emulator): HarWebhooks[] {
  if (parts.webhooks.length === 0) return []
  const names = secretNames(parts.webhooks)
  const secrets = Object.fromEntries(names.map((name) => [name, HIDDEN]))
  // The URL of a receiver is of its run.
  const webhooks = parts.webhooks.map(({ url: _url, ...rest }) => rest)
  const { automations } = parts
  const shown = withoutDefaults(checkScenario({ name: 'run', secrets, webhooks, automations }))
  const { name: _name, ...rules } = shown
  return [{ world: worldName, parts: rules }]
}

function jobOf(world: Emulator, job: Job, shown: (text: string) => string): HarJob {
  const { id, kind, model, ordinal, createdAt, cause = null, over, events } = job
  const { redactor } = world.journal
  const indexes = Array.from({ length: events.count }, (_, index) => index)
  return {
    id,
    world: world.worldName,
    kind,
    model: { id: model.id, entity: model.entity, project: model.project, name: model.name },
    ordinal,
    request_id: cause,
    created_at: toIso(createdAt),
    goes_on: over || world.engine.training.willMove(job),
    events: indexes.map((index) => {
      const text = redactor.redact(job.events.jsonAt(index).json)
      // A text with NaN has metrics, and no contents.
      return isJson(text) ? shown(text) : text
    }),
    times: indexes.map(
      (index) => Math.round((job.events.moments.at(index) - createdAt) * 1000) / 1000,
    ),
  }
}

type Message = RequestDetail['request']

function sentBody(
  { headers, body, state }: Message,
  shown: (text: string) => string,
): Pick<HarEntry['request'], 'postData'> {
  if (body === null && state !== 'dropped') return {}
  const comment = missingOf(state)
  const text = body === null ? '' : shown(body)
  return { postData: { mimeType: typeOf(headers), text, ...(comment && { comment }) } }
}

/** A request without a response has the status 0, as in browsers. */
function responseOf(
  { response, status, lost }: RequestDetail,
  shown: (text: string) => string,
): HarEntry['response'] {
  const { headers, body, size, state } = response ?? NONE
  const comment = missingOf(state)
  return {
    status: status ?? 0,
    statusText: lostText({ status, lost }) ?? '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: fieldsOf(headers),
    content: {
      size,
      mimeType: response ? typeOf(headers) : 'x-unknown',
      // Some readers require it.
      text: body === null ? '' : shown(body),
      ...(comment && { comment }),
    },
    redirectURL: headers['location'] ?? '',
    headersSize: -1,
    bodySize: response ? size : -1,
  }
}

const NONE: Message = { headers: {}, body: null, size: 0, state: 'empty' }

function missingOf(state: Message['state']): string | undefined {
  if (state === 'cut') return 'Only the beginning of the body is kept.'
  return state === 'dropped' ? 'The body is no longer kept.' : undefined
}

function typeOf(headers: Readonly<Record<string, string>>): string {
  return headers['content-type'] ?? 'application/octet-stream'
}

function fieldsOf(headers: Readonly<Record<string, string>>): HarField[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }))
}
