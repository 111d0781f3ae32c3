import * as fc from 'fast-check'
import type { Operation } from '../../../src/service/api/operation.js'
import type { ApiRequest } from '../../../src/service/contract/exchange.js'
import type { Components } from '../../../src/service/contract/pydantic/schema.js'
import { controlOperations, operations } from '../../../src/compose/control-table.js'
import { scenarioJsonSchema } from '../../../src/service/scenario/scenario-json-schema.js'
import { valuesOf } from './schema-values.js'
import type { InputDraw } from './draws.js'
import { edited, jsonOf, mutated, oddValue } from './mutations.js'
import { oddNames } from './odd-values.js'
import type { SmallWorld } from './small-world.js'

/** A call of the control API. */
export interface Call extends Pick<ApiRequest, 'method' | 'path' | 'query' | 'headers' | 'body'> {
  /** The id of a row of the control API. */
  readonly row: string
  /** Whether each key has a world of its own. */
  readonly isolated: boolean
  /** Whether everything is read after an accepted change. */
  readonly reads: boolean
}

/** The key of calls, and the name of the world that they are for. */
export const WILD = 'wild'

const scenario = scenarioJsonSchema(operations.map(({ id }) => id))
const parts = scenario.properties as Record<string, { items: object }>

/** The schemas of bodies that are parts of a scenario, by the ids of their rows. */
const partSchemas: Readonly<Record<string, object>> = {
  addFault: parts['faults']!.items,
  addWebhook: parts['webhooks']!.items,
  addAutomation: parts['automations']!.items,
  chooseScenario: { type: 'object', properties: { scenario }, required: ['scenario'] },
}

/** Bodies that mostly match what a row describes. */
function bodiesOf({ id, body }: Operation): fc.Arbitrary<unknown> {
  const components: Components = {}
  const described = partSchemas[id]
  const schema = described ?? body?.describe(components) ?? {}
  const whole = described ? scenario : { components: { schemas: components } }
  return valuesOf(schema as Components, whole)
}

const rows = controlOperations.map((row) => {
  const bodies = row.body || row.id in partSchemas ? bodiesOf(row) : fc.constant({})
  return { row, bodies: () => bodies }
})

const scenarioNames = ['failing-job', 'happy-path', 'small', 'none']
const toolNames = ['start_job', 'get_status', 'advance_clock', 'add_fault', 'no_such_tool']
const mcpMethods = ['tools/call', 'tools/call', 'tools/list', 'initialize', 'ping']
const queryWords = ['1', '3', 'true', 'false', 'running', '5s', 'RUN_STATE']
const oddWords = [
  'minus one',
  'enormous',
  'beyond 64 bits',
  'no text',
  'half',
  'stars',
  'exploding',
]
const contentTypes = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'a;b',
  '',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  '\u00e9',
]
const oddHeaders: Readonly<Record<string, readonly string[]>> = {
  'svtrain-world': oddNames,
  'content-encoding': ['gzip', 'br', 'identity', 'x'],
  origin: ['null', 'http://evil.test', 'http://127.0.0.1'],
  host: ['evil.test', '127.0.0.1:1', '', '[::1]'],
  accept: ['text/html', 'text/event-stream', '*/*;q=x'],
  'last-event-id': ['1', '-1', 'x', '99999999999999999999'],
}

/** How the text of a body becomes bytes, or what is sent instead. */
const oddBytes: readonly ((text: string) => ApiRequest['body'])[] = [
  () => new Uint8Array(),
  () => Uint8Array.from({ length: 60 }, (_, index) => (index * 251) % 256),
  () => 'too-large',
  (text) => Buffer.from(text, 'utf16le'),
  (text) => Buffer.from(`\uFEFF${text}`),
]

/** Draws calls of every row of the control API. Half of them are near to what the row accepts. */
export function drawCall(draw: InputDraw, small: SmallWorld): Call {
  const { row, bodies } = draw.oneOf(rows)
  const isNear = draw.isHit(0.5)
  const isolated = draw.isHit(0.5)
  const name = (): string => draw.oneOf(isNear || draw.isHit(0.5) ? small.ids : oddNames)
  const call = {
    row: row.id,
    isolated,
    method: draw.isHit(0.04) ? draw.oneOf(['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) : row.method,
    path: row.path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
      const known = small.named[parameter] ?? []
      if (isNear && known.length > 0) return escaped(draw.oneOf(known))
      return draw.isHit(0.1) ? name().replaceAll(/[\s?#]/g, '') : escaped(name())
    }),
    query: isNear && !row.query ? '' : drawQuery(draw, row, name),
    headers: drawHeaders(draw, { isolated, isNear }),
    reads: draw.isHit(0.15),
  }
  draw.tell(call)
  const value = draw.tell(bodyValue(draw, { row, bodies, small }))
  return { ...call, body: drawBytes(draw, value, isNear) }
}

/** A name in a path or a query. Half a pair becomes U+FFFD, because no URL can have it. */
function escaped(name: string): string {
  return encodeURIComponent(Buffer.from(name).toString())
}

interface Described {
  readonly row: Operation
  readonly bodies: () => fc.Arbitrary<unknown>
  readonly small: SmallWorld
}

function bodyValue(draw: InputDraw, { row, bodies, small }: Described): unknown {
  if (row.id === 'restoreSnapshot') return small.snapshot
  if (row.id === 'callMcp') {
    const args = { model: 'poet', by: '10m', fault: { fault: 'hang' } }
    const params = { name: draw.oneOf(toolNames), arguments: args }
    return { jsonrpc: '2.0', id: 1, method: draw.oneOf(mcpMethods), params }
  }
  const isNamed = row.id === 'resetWorld' || row.id === 'chooseScenario'
  if (isNamed && draw.isHit(0.4)) return { name: draw.oneOf(scenarioNames) }
  // As JSON writes it.
  const value: unknown = JSON.parse(jsonOf(draw.from(bodies)) || 'null')
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  // Real time must not pass while a call is answered.
  return row.id === 'settleWorld' && isObject ? { ...value, within: 20, most: 300 } : value
}

function drawBytes(draw: InputDraw, value: unknown, isNear: boolean): ApiRequest['body'] {
  const isChanged = draw.isHit(isNear ? 0.2 : 0.7)
  const text = jsonOf(isChanged ? mutated(draw, value, { most: 2 }) : value)
  const sent = draw.isHit(isNear ? 0 : 0.1) ? edited(draw, text, 2) : text
  return draw.isHit(isNear ? 0.01 : 0.1) ? draw.oneOf(oddBytes)(sent) : Buffer.from(sent)
}

function drawQuery(draw: InputDraw, row: Operation, name: () => string): string {
  const names = (row.query?.describe({}) ?? []).map((each) => String(each['name']))
  const odd = draw.isHit(0.1) ? ['x'] : []
  const chosen = [...names, ...odd].filter(() => draw.isHit(0.4))
  const pairs = chosen.map((each) => `${escaped(each)}=${escaped(queryValue(draw, name))}`)
  // Waits must be short.
  if (row.id === 'awaitRequests') {
    return ['timeout=1ms', ...pairs.filter((each) => !each.startsWith('timeout'))].join('&')
  }
  return draw.isHit(0.03) ? `${pairs.join('&')}&%ff=%zz&&=&a[]=1` : pairs.join('&')
}

function queryValue(draw: InputDraw, name: () => string): string {
  if (draw.isHit(0.5)) return draw.oneOf(queryWords)
  return draw.isHit(0.5) ? name() : String(oddValue(draw.oneOf(oddWords)))
}

function drawHeaders(
  draw: InputDraw,
  { isolated, isNear }: Pick<Call, 'isolated'> & { isNear: boolean },
): Record<string, string> {
  const headers: Record<string, string> = { authorization: `Bearer ${WILD}` }
  if (draw.isHit(0.9)) headers['content-type'] = draw.oneOf(contentTypes.slice(0, isNear ? 1 : 8))
  if (isolated && draw.isHit(0.9)) headers['svtrain-world'] = WILD
  if (isNear) return headers
  for (const [name, values] of Object.entries(oddHeaders)) {
    if (draw.isHit(0.04)) headers[name] = draw.oneOf(values)
  }
  return headers
}
