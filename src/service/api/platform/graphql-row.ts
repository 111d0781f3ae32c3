import { isRecord } from '../../contract/pydantic/record.js'
import { WRITER_HEADERS } from '../../../base/text/vendor/platform-names.js'
import { BODY_LIMIT } from '../../contract/exchange.js'
import { Reply } from '../result.js'
import { mayUse } from '../ownership.js'
import type { CallFacts } from './call.js'
import type { executeGraphql, GraphqlAnswer, GraphqlRequest } from './execute.js'
import { GRAPHQL_PATH } from './paths.js'
import { observed, platformRow, refuse, STATUSES, type AnyCall } from './platform-row.js'

type Executor = typeof executeGraphql

/** The library and the schema are loaded with the first call, so that nobody else waits for them. */
let executor: Executor | undefined

export const platformGraphql = platformRow({
  id: 'platformGraphql',
  method: 'POST',
  path: GRAPHQL_PATH,
  name: 'graphql',
  summary: 'Runs and artifacts, in GraphQL',
  auth: 'platform',
  readsBody: 'compressed-json',
  nameCall: operationNameIn,
  run(call) {
    const request = graphqlRequestIn(call)
    if (request instanceof Reply) return request
    if (executor) return answerGraphql(executor, request, call)
    return import('./execute.js').then((loaded) => {
      executor = loaded.executeGraphql
      return answerGraphql(executor, request, call)
    })
  },
})

/** The name of the operation in a body, so that faults and the journal can name it. */
function operationNameIn(json: unknown): string | undefined {
  const { operationName, query } = Object(json) as Record<string, unknown>
  if (typeof operationName === 'string' && NAME.test(operationName)) return operationName
  return typeof query === 'string' ? firstNameIn(query) : undefined
}

const NAME = /^\w{1,100}$/
/** Texts and comments, which say nothing here, braces, and the beginning of an operation. */
const TOKEN =
  /"""[^]*?"""|"(?:\\.|[^"\\\n\r])*"|#[^\n\r]*|[{}]|(?<!\bfragment\s+)\b(?:query|mutation|subscription)\s+(\w{1,100})/g

/** The name of the first operation of a query. Fragments may stand before it. */
function firstNameIn(query: string): string | undefined {
  let depth = 0
  for (const [token, name] of query.matchAll(TOKEN)) {
    if (token === '{') depth++
    else if (token === '}') depth--
    else if (name !== undefined && depth === 0) return name
  }
  return undefined
}

function graphqlRequestIn(call: AnyCall): GraphqlRequest | Reply {
  if (call.request.body === 'too-large') {
    return refuse(call, `The body is larger than ${BODY_LIMIT} bytes.`, 'limit')
  }
  const { value } = call.json
  if (Array.isArray(value)) {
    const message = `The body is a list of ${value.length} queries. Send each query in a call of its own.`
    return refuse(call, message, 'invalid')
  }
  const { query, variables, operationName } = Object(value) as Record<string, unknown>
  if (typeof query !== 'string') {
    const message =
      'The body has no query; expected JSON such as {"query": "{ viewer { entity } }"}.'
    return refuse(call, message, 'invalid')
  }
  if (variables !== undefined && variables !== null && !isRecord(variables)) {
    return refuse(call, 'The variables are not a JSON object.', 'invalid')
  }
  return {
    query,
    variables: variables ?? {},
    // Some clients send an empty name.
    operationName:
      typeof operationName === 'string' && operationName !== '' ? operationName : undefined,
  }
}

function answerGraphql(execute: Executor, request: GraphqlRequest, call: AnyCall): Reply {
  const { engine, entry } = call
  const failed = (error: unknown): void => {
    engine.journal.background.report('answer a query of runs and artifacts', error, entry.id)
  }
  const answer = observed(call, (): GraphqlAnswer => execute(request, platformCallOf(call), failed))
  const [first] = answer.errors
  if (first !== undefined) entry.detail = first
  return new Reply(answer.problem ? STATUSES[answer.problem] : 200, answer.body)
}

function platformCallOf(call: AnyCall): CallFacts {
  const { engine, account, entry, root, contents } = call
  return {
    platform: engine.platformWithCheckpoints(),
    automations: engine.automations!,
    account,
    author: { user: account.user, cause: entry.id },
    writer: call.request.headers[WRITER_HEADERS.graphql],
    addressOf: (...content) => root + contents.pathOf(...content),
    sees: (entity) => mayUse({ engine, account }, entity),
  }
}
