import { counted } from '../../base/text/counted.js'
import { checkKey, checkNames } from '../../service/scenario/check-names.js'
import { countedSends } from '../../base/text/sends.js'
import { withDescription } from '../../base/text/with-description.js'
import { findingLines, lineageLines } from '../../emulator/control/evidence-lines.js'
import type { ControlDelivery } from '../../emulator/control/schemas/deliveries.js'
import type { ControlFault } from '../../emulator/control/schemas/faults.js'
import type { ControlJob } from '../../emulator/control/schemas/jobs.js'
import type { RequestDetail } from '../../emulator/control/schemas/requests.js'
import type { RequestEntry } from '../../emulator/control/schemas/journal.js'
import type { ScenarioChecked } from '../../emulator/control/schemas/scenario.js'
import { docsTool } from './docs.js'
import { cut, recordLines } from './paged.js'
import { rowTool } from './row-tool.js'
import { signatureTool } from './signature.js'
import { statusTool } from './status.js'
import { ENDS, READS, type Tool } from './tool.js'
import { webhookLines, webhookTool } from './webhook.js'

/** The most records that a list asks for. */
const MOST = 1000

/** Says that a list is not whole, as far as anybody knows. */
function latestOnly(lines: readonly string[]): readonly string[] {
  return lines.length < MOST ? lines : [...lines, `Only the latest ${MOST} are listed.`]
}

/** The tools that exist on every transport. They use only the control API and the documentation. */
export const tools: readonly Tool[] = [
  statusTool,
  rowTool('GET /scenarios', {
    name: 'list_scenarios',
    lines: ({ scenarios }) => scenarios.map((each) => withDescription(each.name, each.description)),
    none: 'There are no scenarios.',
    pages: 'start',
  }),
  rowTool('GET /scenario', {
    name: 'read_scenario',
    lines: ({ yaml }) => yaml.trimEnd().split('\n'),
    none: 'It is empty.',
    pages: 'start',
  }),
  rowTool('POST /scenario/check', {
    name: 'check_scenario',
    annotations: READS,
    lines: ({ problems, notes }) =>
      problems.length > 0 ? problems.map(problemLine) : ['The scenario is valid.', ...notes],
  }),
  rowTool('POST /reset', {
    name: 'start_scenario',
    description:
      'Starts over in a fresh world with a scenario, by default the initial one. All jobs, models and requests are removed.',
    annotations: ENDS,
    fixed: { scenario: undefined },
    lines: ({ scenario, seed }) => [
      withDescription(
        `Started over with the scenario "${scenario.name}", seed ${seed}`,
        scenario.description,
      ),
    ],
  }),
  rowTool('POST /scenario', {
    name: 'choose_scenario',
    description: 'Another scenario counts from now on. What exists stays.',
    fixed: { scenario: undefined, reset: false },
    lines: ({ scenario }) => [
      withDescription(`The scenario "${scenario.name}" counts from now on`, scenario.description),
    ],
  }),
  rowTool('POST /jobs', {
    name: 'create_job',
    fixed: { trajectory_groups: undefined },
    lines: (job) => [`Created job ${jobLine(job)}`],
  }),
  rowTool('GET /jobs', {
    name: 'list_jobs',
    fixed: { limit: undefined },
    lines: ({ jobs }) => jobs.map(jobLine),
    none: 'There are no such jobs. create_job makes one.',
    pages: 'start',
  }),
  rowTool('GET /jobs/{job_id}', { name: 'read_job', lines: jobLines }),
  rowTool('GET /jobs/{job_id}/events', {
    name: 'list_job_events',
    description: 'The events of a job. Page 1 has the latest.',
    fixed: { from: -MOST, limit: MOST },
    lines: ({ events, total }) => [
      ...(total > events.length
        ? [`… ${counted(total - events.length, 'event')} before these`]
        : []),
      ...events.map(({ index, at, type, data }) => `${index} ${at} ${type} ${dataText(data)}`),
    ],
    none: 'There are no events yet.',
    pages: 'end',
  }),
  rowTool('POST /jobs/{job_id}/fail', {
    name: 'end_job',
    description: 'Ends a job now: as a failure with your message, or else with success.',
    annotations: ENDS,
    otherwise: 'POST /jobs/{job_id}/finish',
    lines: jobLines,
  }),
  rowTool('GET /faults', {
    name: 'list_faults',
    lines: ({ faults }) => faults.map(faultLine),
    none: 'There are no faults.',
    pages: 'start',
  }),
  rowTool('POST /faults', {
    name: 'add_fault',
    description:
      'Adds a fault, written as in a scenario: a call fails, is slow, hangs, or gets a changed answer. read_docs "faults" lists all kinds.',
    body: [
      'fault',
      'Such as {"fault": "status", "status": 503, "calls": 2, "match": {"operation": "createModel"}}.',
    ],
    lines: (fault) => [`Added ${faultLine(fault)}`],
  }),
  rowTool('DELETE /faults/{fault_id}', {
    name: 'remove_fault',
    lines: ({ faults }) => faults.map(faultLine),
    none: 'No fault is left.',
  }),
  rowTool('POST /clock', {
    name: 'set_clock',
    description:
      'Changes how time passes: real, auto (jumps when a client waits), manual (only advance_clock moves it), instant (everything happens at once).',
    lines: recordLines,
  }),
  rowTool('POST /clock/advance', {
    name: 'advance_clock',
    description: 'Moves virtual time by a duration or to a moment, or else to the next task.',
    otherwise: 'POST /clock/next',
    fixed: { note: undefined },
    lines: recordLines,
  }),
  rowTool('POST /clock/settle', {
    name: 'settle',
    description: 'Runs everything scheduled: jobs end, webhooks arrive.',
    fixed: { most: undefined },
    lines: ({ text }) => text.split('\n'),
  }),
  rowTool('GET /requests', {
    name: 'list_requests',
    description: 'The requests of clients, newest first, each with why it was refused.',
    fixed: { limit: MOST, after: undefined, method: undefined },
    lines: ({ requests }) => latestOnly(requests.toReversed().map(requestLine)),
    none: 'There are no such requests. Point your client at the addresses of get_status.',
    pages: 'start',
  }),
  rowTool('GET /requests/{request_id}', { name: 'read_request', lines: requestLines }),
  rowTool('GET /deliveries', {
    name: 'list_deliveries',
    description: 'The deliveries of webhooks, newest first, each with why it failed.',
    fixed: { limit: MOST, automation: undefined },
    lines: ({ deliveries }) => latestOnly(deliveries.toReversed().map(deliveryLine)),
    none: 'There are no such deliveries. read_docs "webhooks" explains how to get them.',
    pages: 'start',
  }),
  rowTool('GET /deliveries/{delivery_id}', { name: 'read_delivery', lines: deliveryLines }),
  rowTool('POST /deliveries/resend', {
    name: 'resend_deliveries',
    fixed: { automation: undefined },
    lines: resentLines,
    none: 'No such delivery failed. Name a delivery to send one that did not.',
  }),
  rowTool('GET /webhooks', {
    name: 'list_webhooks',
    description: 'The webhooks: their URLs and names of secrets.',
    lines: webhookLines,
    none: 'There are no webhooks. Scenarios have them.',
  }),
  webhookTool,
  rowTool('GET /trace', {
    name: 'read_trace',
    description:
      'What failed, then what happened and what is scheduled: requests, jobs, webhooks, and what caused them.',
    fixed: { format: 'text', lines: MOST },
    lines: (text) => (text as string).trimEnd().split('\n'),
    none: 'Nothing happened.',
    pages: 'end',
    head: 'What failed',
  }),
  rowTool('GET /lineage', {
    name: 'read_lineage',
    description:
      'Which checkpoint gave the answers that each job trained on. With a job, also its trajectories.',
    fixed: { limit: undefined },
    lines: lineageLines,
    pages: 'start',
  }),
  rowTool('GET /client-checks', {
    name: 'check_client',
    fixed: Object.fromEntries(checkNames.map((name) => [checkKey(name), undefined])),
    lines: findingLines,
    pages: 'start',
  }),
  rowTool('GET /pending', {
    name: 'list_pending',
    lines: ({ pending }) =>
      pending.map(({ what, which, why }) => {
        return `${which.startsWith(what) ? '' : `${what} `}${which}: ${why}`
      }),
    none: 'Nothing is pending.',
    pages: 'start',
  }),
  signatureTool,
  docsTool,
]

/** Describes a mistake in the text of a scenario. */
function problemLine(problem: ScenarioChecked['problems'][number]): string {
  const { line, column, place, message } = problem
  const at = line === null ? '' : `line ${line}, column ${column}: `
  return `${at}${place}: ${message}`
}

function jobLine({ id, kind, model, status, why_waiting: waits, ...job }: ControlJob): string {
  const state = waits === null ? status : `${status} (${waits})`
  const why = job.error_message === null ? '' : `: ${job.error_message}`
  return `${id} ${kind} "${model.name}" step ${job.step} of ${job.steps}, ${state}${why}`
}

function jobLines({ model, latest, ...job }: ControlJob): string[] {
  const shown = Object.keys(latest).length > 0 && dataText(latest)
  return recordLines({ ...job, model: model.name, latest: shown })
}

function dataText(data: Readonly<Record<string, unknown>>): string {
  // The loss says most about a step, and a line may be cut.
  const { loss, ...others } = data
  return cut(JSON.stringify(loss === undefined ? others : { loss, ...others }), 120)
}

function faultLine({ id, fault, name, open, hits, rule }: ControlFault): string {
  const called = name === undefined ? '' : ` "${name}"`
  const match = rule['match'] ? ` on ${JSON.stringify(rule['match'])}` : ''
  return `${id} ${fault}${called}${cut(match, 200)}, ${open ? 'open' : 'closed'}, ${counted(hits, 'hit')}`
}

function requestLine({ id, at, text, operation, detail, hint, effects }: RequestEntry): string {
  const why = [detail, hint, ...effects].filter((part) => part !== undefined)
  const what = operation === undefined ? '' : ` (${operation})`
  return cut(`${id} ${at} ${text}${what}${why.length > 0 ? `: ${why.join('; ')}` : ''}`, 300)
}

function requestLines({ request, response, ...entry }: RequestDetail): string[] {
  return recordLines({
    ...entry,
    sent_headers: request.headers,
    sent_body: bodyText(request),
    ...(response && { answer_headers: response.headers, answer_body: bodyText(response) }),
  })
}

function bodyText({ body, state, size }: RequestDetail['request']): string {
  return body ?? `(${state}, ${size} bytes)`
}

function deliveryLine({ id, attempts, verdict, ...delivery }: ControlDelivery): string {
  const { created_at: at, text, webhook, state, diagnosis } = delivery
  const { status, error, response_excerpt: said } = attempts.at(-1) ?? {}
  const answer = [status ?? error, error && status && said].filter(Boolean).join(' ')
  const parts = [
    `${state}, ${countedSends(attempts)}`,
    answer && `last answer ${cut(answer, 150)}`,
    verdict && `signature ${verdict}`,
  ]
  const why = diagnosis === null ? '' : `: ${diagnosis}`
  return `${id} ${at} ${text} to "${webhook}": ${parts.filter(Boolean).join(', ')}${why}`
}

/** How it ended comes first: the lines of many deliveries are cut. */
function resentLines({ deliveries }: { deliveries: readonly ControlDelivery[] }): string[] {
  if (deliveries.length === 0) return []
  const fine = deliveries.filter(({ state }) => state === 'delivered').length
  return [
    `Sent again: ${fine} delivered, ${deliveries.length - fine} not.`,
    ...deliveries.map(deliveryLine),
  ]
}

const MOST_ATTEMPTS = 8

function deliveryLines({ attempts, ...delivery }: ControlDelivery): string[] {
  const shown = attempts.slice(-MOST_ATTEMPTS)
  return recordLines({
    ...delivery,
    attempts_before: attempts.length - shown.length || undefined,
    attempts: shown,
  })
}
