import { required } from '../../../service/contract/pydantic/fields.js'
import { boundedInteger } from '../../../service/contract/pydantic/integer.js'
import {
  requestFilter,
  traceQuery,
  type RequestDetail,
  type RequestEntry,
} from '../../../emulator/control/schemas.js'
import { cut, linesText, paged } from '../paged.js'
import { pageField, READS, tool, withWords } from '../tool.js'
import { findJob } from './jobs.js'

const MOST_REQUESTS = 1000

const listRequests = tool({
  name: 'list_requests',
  title: 'List requests',
  description:
    'Lists the requests that clients made, newest first, each with its status and why it was refused.',
  input: {
    operation: requestFilter.fields.operation,
    status: requestFilter.fields.status,
    path: withWords(requestFilter.fields.path, 'A glob of the path, such as */training-jobs*.'),
    job: requestFilter.fields.job,
    page: pageField,
  },
  annotations: READS,
  async run({ operation, status, path, job: which, page }, { call }) {
    const job = which === undefined ? undefined : (await findJob(call, which)).id
    const query = { operation, status, path, job, limit: MOST_REQUESTS }
    const { requests } = await call('GET /requests', { query })
    const none = 'There are no such requests. Point your client at the addresses of get_status.'
    return paged(requests.toReversed().map(requestLine), { page, none })
  },
})

function requestLine({ id, at, text, operation, detail, hint, effects }: RequestEntry): string {
  const why = [detail, hint, ...effects].filter((part) => part !== undefined)
  const what = operation === undefined ? '' : ` (${operation})`
  return cut(`${id} ${at} ${text}${what}${why.length > 0 ? `: ${why.join('; ')}` : ''}`, 300)
}

const readRequest = tool({
  name: 'read_request',
  title: 'Read request',
  description:
    'Returns one request with its headers and bodies, without credentials, and why it was refused.',
  input: {
    request: required(boundedInteger({ ge: 1 }), { description: 'An id of list_requests.' }),
  },
  annotations: READS,
  async run({ request }, { call }) {
    const params = { request_id: String(request) }
    return requestText(await call('GET /requests/{request_id}', { params }))
  },
})

function requestText(entry: RequestDetail): string {
  const { id, at, method, path, query, request, response, problems, faults, findings } = entry
  return linesText([
    `Request ${id} at ${at}: ${method} ${cut(path + (query && `?${query}`), 300)}`,
    `Answer: ${entry.status ?? entry.lost ?? 'under way'}${entry.detail === undefined ? '' : `: ${cut(entry.detail, 400)}`}`,
    ...(entry.hint === undefined ? [] : [entry.hint]),
    ...problems.slice(0, 10).map(({ loc, msg }) => `Wrong: ${loc.join('.')}: ${cut(msg, 200)}`),
    ...faults.slice(0, 5).map((hit) => `Fault: ${hit.fault} "${hit.name}" (${hit.id})`),
    ...findings.slice(0, 5).map(({ text }) => `Mistake of the client: ${cut(text, 200)}`),
    ...messageLines('Sent', request),
    ...(response ? messageLines('Answered', response) : []),
    ...(entry.job_id === null ? [] : [`Job: ${entry.job_id}`]),
  ])
}

function messageLines(verb: string, message: RequestDetail['request']): string[] {
  const headers = Object.entries(message.headers).map(([name, value]) => `${name}: ${value}`)
  const body = message.body ?? `(${message.state}, ${message.size} bytes)`
  return [
    `${verb} headers: ${cut(headers.join('; '), 400)}`,
    `${verb} body: ${message.state === 'empty' ? '(empty)' : cut(body, 700)}`,
  ]
}

const readTrace = tool({
  name: 'read_trace',
  title: 'Read trace',
  description:
    'Returns what happened and what is scheduled, in order of time: requests, jobs, webhooks, and what caused them. Page 1 has the latest.',
  input: { job: traceQuery.fields.job, page: pageField },
  annotations: READS,
  async run({ job: which, page }, { call }) {
    const job = which === undefined ? undefined : (await findJob(call, which)).id
    const text = (await call('GET /trace', { query: { job } })) as string
    return paged(text.trimEnd().split('\n'), { page, from: 'end' })
  },
})

const listPending = tool({
  name: 'list_pending',
  title: 'List pending',
  description:
    'Lists what is left over: jobs that are not over, faults that no call met, webhooks that did not arrive.',
  input: { page: pageField },
  annotations: READS,
  async run({ page }, { call }) {
    const { pending, text } = await call('GET /pending')
    if (pending.length === 0) return 'Nothing is pending.'
    return paged(text.trimEnd().split('\n'), { page })
  },
})

export const requestTools = [listRequests, readRequest, readTrace, listPending]
