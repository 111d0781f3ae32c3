import { connect } from 'node:net'
import * as fc from 'fast-check'
import type { Operation } from '../../../src/service/api/operation.js'
import type { ApiRequest, Outcome } from '../../../src/service/contract/exchange.js'
import type { Components } from '../../../src/service/contract/pydantic/schema.js'
import { controlOperations, operations } from '../../../src/compose/control-table.js'
import { createEmulator, type Emulator, type Snapshot } from '../../../src/index.js'
import { scenarioJsonSchema } from '../../../src/service/scenario/scenario-json-schema.js'
import type { Draw } from '../../support/draw.js'
import { valuesOf } from '../../support/values.js'
import { assertSame, emptyEmulator, send, stateOf, useWorld } from './look.js'
import { kindOf, type StartKind, type Verdict } from './kind.js'
import {
  drawEdits,
  drawMutations,
  edited,
  jsonOf,
  mutated,
  oddValue,
  type Edit,
  type Mutation,
} from './mutations.js'
import { smallWorld, type SmallWorld } from './small-world.js'

interface CallInput {
  /** The id of a row of the control API. */
  readonly row: string
  /** Whether each key has a world of its own. */
  readonly isolated: boolean
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  /** The body as a value, before its changes. */
  readonly value?: unknown
  readonly mutations: readonly Mutation[]
  readonly edits: readonly Edit[]
  readonly body: 'json' | 'none' | 'bytes' | 'too-large' | 'UTF-16' | 'mark'
  /** Whether everything is read after an accepted change. */
  readonly reads: boolean
}

const WILD = 'wild'
const rows: readonly Operation[] = controlOperations

const scenario = scenarioJsonSchema(operations.map(({ id }) => id))
const parts = scenario.properties as Record<string, { items: object }>

/** The schemas of bodies that are parts of a scenario, by the ids of their rows. */
const partSchemas: Readonly<Record<string, object>> = {
  addFault: parts['faults']!.items,
  addWebhook: parts['webhooks']!.items,
  addAutomation: parts['automations']!.items,
  chooseScenario: { type: 'object', properties: { scenario }, required: ['scenario'] },
}

const bodies = new Map(rows.map((row) => [row.id, bodyOf(row)]))

function bodyOf({ id, body }: Operation): fc.Arbitrary<unknown> {
  const components: Components = {}
  const described = partSchemas[id]
  const schema = described ?? body?.describe(components) ?? {}
  return valuesOf(
    schema as Components,
    described ? scenario : { components: { schemas: components } },
  )
}

/** A value that mostly matches a schema. The same draws give the same value. */
function sampled(draw: Draw, from: fc.Arbitrary<unknown>): unknown {
  const [value] = fc.sample(from, { seed: draw.below(2 ** 31), numRuns: 1 })
  // As JSON writes it.
  return JSON.parse(jsonOf(value) || 'null') as unknown
}

const oddNames: readonly string[] = [
  'a',
  '%',
  '%ff',
  '%00',
  '..',
  '.',
  '__proto__',
  'constructor',
  'toString',
  '0',
  '-1',
  '1e9',
  'x'.repeat(3000),
  'poet',
  'hook',
  'SIGNING',
  'outage',
  'world-1',
  '*',
  '{a,b}',
]

const contentTypes: readonly string[] = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'a;b',
  '',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  '\u00e9',
]

/** Draws calls of every row of the control API. Half of them are near to what the row accepts. */
function drawCall(draw: Draw, { named, snapshot }: SmallWorld): CallInput {
  const ids = Object.values(named).flat()
  const row = draw.oneOf(rows)
  const isNear = draw.isHit(0.5)
  const name = (): string => draw.oneOf(isNear || draw.isHit(0.5) ? ids : oddNames)
  const path = row.path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    const known = named[parameter] ?? []
    if (isNear && known.length > 0) return encodeURIComponent(draw.oneOf(known))
    return draw.isHit(0.9) ? encodeURIComponent(name()) : name().replaceAll(/[\s?#]/g, '')
  })
  const isolated = draw.isHit(0.5)
  const value = bodyValue(draw, row, snapshot)
  const changes = isNear ? 0.2 : 0.7
  const isOdd = draw.isHit(isNear ? 0.01 : 0.1)
  return {
    row: row.id,
    isolated,
    method: draw.isHit(0.96) ? row.method : draw.oneOf(['GET', 'POST', 'PUT', 'DELETE', 'PATCH']),
    path,
    query: isNear && !row.query ? '' : drawQuery(draw, row, name),
    headers: drawHeaders(draw, { isolated, isNear }),
    value,
    mutations: draw.isHit(changes) ? drawMutations(draw, value, { most: 2 }) : [],
    edits: draw.isHit(isNear ? 0 : 0.1) ? drawEdits(draw, 2) : [],
    body: isOdd ? draw.oneOf(['none', 'bytes', 'too-large', 'UTF-16', 'mark'] as const) : 'json',
    reads: draw.isHit(0.15),
  }
}

function bodyValue(draw: Draw, row: Operation, snapshot: Snapshot): unknown {
  if (row.id === 'callMcp') return mcpMessage(draw)
  if (row.id === 'restoreSnapshot') return snapshot
  if (!row.body && !(row.id in partSchemas)) return {}
  if (row.id === 'resetWorld' || row.id === 'chooseScenario') {
    if (draw.isHit(0.4)) return { name: draw.oneOf(['failing-job', 'happy-path', 'small', 'none']) }
  }
  return sampled(draw, bodies.get(row.id)!)
}

function mcpMessage(draw: Draw): unknown {
  const tool = draw.oneOf(['start_job', 'get_status', 'advance_clock', 'add_fault', 'no_such_tool'])
  const method = draw.oneOf(['tools/call', 'tools/call', 'tools/list', 'initialize', 'ping'])
  const args = { model: 'poet', by: '10m', fault: { fault: 'hang' } }
  return { jsonrpc: '2.0', id: 1, method, params: { name: tool, arguments: args } }
}

function drawQuery(draw: Draw, row: Operation, name: () => string): string {
  const names = (row.query?.describe({}) ?? []).map((each) => String(each['name']))
  const odd = draw.isHit(0.1) ? ['x'] : []
  const chosen = [...names, ...odd].filter(() => draw.isHit(0.4))
  const pairs = chosen.map(
    (each) => `${encodeURIComponent(each)}=${encodeURIComponent(queryValue(draw, name))}`,
  )
  // Waits must be short.
  if (row.id === 'awaitRequests') {
    return ['timeout=1ms', ...pairs.filter((each) => !each.startsWith('timeout'))].join('&')
  }
  return draw.isHit(0.97) ? pairs.join('&') : `${pairs.join('&')}&%ff=%zz&&=&a[]=1`
}

function queryValue(draw: Draw, name: () => string): string {
  if (draw.isHit(0.5)) return draw.oneOf(['1', '3', 'true', 'false', 'running', '5s', 'RUN_STATE'])
  if (draw.isHit(0.5)) return name()
  const odd = ['minus one', 'enormous', 'beyond 64 bits', 'no text', 'half', 'stars', 'exploding']
  return String(oddValue(draw.oneOf(odd)))
}

function drawHeaders(
  draw: Draw,
  { isolated, isNear }: { isolated: boolean; isNear: boolean },
): Record<string, string> {
  const headers: Record<string, string> = { authorization: `Bearer ${WILD}` }
  if (draw.isHit(0.9))
    headers['content-type'] = isNear ? contentTypes[0]! : draw.oneOf(contentTypes)
  if (isolated && draw.isHit(0.9)) headers['svtrain-world'] = WILD
  if (isNear) return headers
  const more: Readonly<Record<string, readonly string[]>> = {
    'svtrain-world': oddNames,
    'content-encoding': ['gzip', 'br', 'identity', 'x'],
    origin: ['null', 'http://evil.test', 'http://127.0.0.1'],
    host: ['evil.test', '127.0.0.1:1', '', '[::1]'],
    accept: ['text/html', 'text/event-stream', '*/*;q=x'],
    'last-event-id': ['1', '-1', 'x', '99999999999999999999'],
  }
  for (const [name, values] of Object.entries(more)) {
    if (draw.isHit(0.04)) headers[name] = draw.oneOf(values)
  }
  return headers
}

/** Real time must not pass while a call is answered. */
function bounded({ row, value }: CallInput): unknown {
  if (row !== 'settleWorld' || typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? value : { ...value, within: 20, most: 300 }
}

function bytesOf(input: CallInput): Uint8Array | 'too-large' {
  const { body, mutations, edits } = input
  if (body === 'too-large') return body
  if (body === 'none') return new Uint8Array()
  if (body === 'bytes') return Uint8Array.from({ length: 60 }, (_, index) => (index * 251) % 256)
  const text = edited(jsonOf(mutated(bounded(input), mutations)), edits)
  if (body === 'UTF-16') return Buffer.from(text, 'utf16le')
  return Buffer.from(body === 'mark' ? `\uFEFF${text}` : text)
}

/**
 * An emulator that holds the small world, as its only world or as the worlds of two keys. A call is for one emulator, so
 * the other one needs no comparison.
 */
class Stage {
  readonly emulator: Emulator
  readonly #isolated: boolean
  readonly #small: SmallWorld
  readonly #other = emptyEmulator()
  #before = ''
  #quiet = ''

  constructor(small: SmallWorld, isolated: boolean) {
    this.#small = small
    this.#isolated = isolated
    this.emulator = this.#isolated
      ? createEmulator({ isolate: 'api-key', clock: 'manual', send })
      : emptyEmulator()
    this.#restore()
  }

  /** The worlds that hold the small world. The calls are for the first one. */
  get #worlds(): [Emulator, ...Emulator[]] {
    const { emulator } = this
    return this.#isolated ? [emulator.world(WILD), emulator.world('quiet')] : [emulator]
  }

  #restore(): void {
    if (this.#isolated) this.emulator.reset('happy-path')
    for (const world of this.#worlds) world.restore(this.#small.snapshot)
    this.#before = this.#state()
    this.#quiet = this.#quietState()
  }

  #state(): string {
    const all = new Set([this.emulator, ...this.#worlds])
    return [...all].map(stateOf).join('\n')
  }

  /** The state of the world that no call is for. */
  #quietState(): string {
    const [, quiet] = this.#worlds
    return quiet ? stateOf(quiet) : ''
  }

  /** Checks what became of a call, and starts over if it had an effect. */
  async after(input: CallInput, isChange: boolean): Promise<Verdict> {
    if (!isChange) {
      assertSame(this.#before, this.#state())
      return 'refused'
    }
    const [world] = this.#worlds
    if (world.clock.mode !== 'real') world.clock.advance('3s')
    await world.webhooks.idle()
    if (!isForAll(input)) {
      assertSame(
        this.#quiet,
        this.#quietState(),
        'A call had an effect on the world of another key.',
      )
    }
    if (input.reads) await useWorld(world, this.#other)
    this.#restore()
    return 'accepted'
  }

  async close(): Promise<void> {
    await Promise.all([this.emulator, this.#other].map((each) => each.close()))
  }
}

/** Without the name of a world, the call is for the emulator. A reset of it starts all worlds over. */
function isForAll({ row, headers }: CallInput): boolean {
  const resets = row === 'resetWorld' || row === 'chooseScenario'
  return resets && !('svtrain-world' in headers)
}

/** Calls that leave more than a world behind. */
const lasting: readonly string[] = ['openSink', 'startExploration', 'nextTrial', 'callMcp']

function assertAnswer(input: CallInput, status: number, body: string, isJson: boolean): void {
  if (status === 500 || body.includes('please report')) {
    throw new Error(`${input.method} ${input.path}: ${status} ${body.slice(0, 500)}`)
  }
  if (!isJson) return
  const parsed = JSON.parse(body) as { detail?: unknown }
  if (status >= 400 && input.row !== 'callMcp' && parsed.detail === undefined) {
    throw new Error(
      `${input.method} ${input.path}: ${status} without a detail: ${body.slice(0, 500)}`,
    )
  }
}

/** The two emulators that calls are for: one with a world, and one with a world for each key. */
class Stages {
  readonly all: [whole: Stage, isolated: Stage]
  readonly #small: SmallWorld

  constructor(small: SmallWorld) {
    this.#small = small
    this.all = [new Stage(small, false), new Stage(small, true)]
  }

  for({ isolated }: CallInput): Stage {
    return this.all[Number(isolated)]!
  }

  async replace(input: CallInput): Promise<void> {
    await this.for(input).close()
    this.all[Number(input.isolated)] = new Stage(this.#small, input.isolated)
  }

  readonly end = async (): Promise<void> => {
    await Promise.all(this.all.map((stage) => stage.close()))
  }
}

/** Calls of every row of the control API, in process. */
export const startControlCalls: StartKind = async () => {
  const small = await smallWorld()
  const stages = new Stages(small)
  return kindOf<CallInput>({
    draw: (draw) => drawCall(draw, small),
    async attempt(input) {
      const { method, path, query, headers } = input
      const stage = stages.for(input)
      const body = bytesOf(input)
      const request: ApiRequest = { method, base: 'http://127.0.0.1', path, query, headers, body }
      const outcome = await stage.emulator.handle('training', request)
      const isAccepted = await heard(input, outcome)
      if (isAccepted && lasting.includes(input.row)) {
        await stages.replace(input)
        return 'accepted'
      }
      return stage.after(input, isAccepted && method !== 'GET')
    },
    end: stages.end,
  })
}

/** Checks an answer. Returns whether the call was accepted. */
async function heard(input: CallInput, outcome: Outcome): Promise<boolean> {
  if (outcome.kind === 'stream') {
    for await (const _chunk of outcome.chunks) break
    outcome.leave?.()
    return outcome.status < 400
  }
  if (outcome.kind !== 'response') throw new Error(`There is no answer: ${outcome.kind}.`)
  const { status, body, headers } = outcome
  // Time passed until the limit, as the answer says.
  if (input.row === 'settleWorld' && status === 409) return true
  assertAnswer(input, status, body, headers['content-type']?.includes('json') === true)
  return status < 400
}

/** The same calls over a socket, with what a transport makes of them. */
export const startSocketCalls: StartKind = async () => {
  const small = await smallWorld()
  const stages = new Stages(small)
  for (const { emulator } of stages.all) await emulator.listen()
  return kindOf<CallInput>({
    draw(draw) {
      const input = drawCall(draw, small)
      const framing = draw.isHit(0.2) ? draw.oneOf(framings) : ''
      return { ...input, headers: { ...input.headers, ...(framing && { framing }) } }
    },
    async attempt(input) {
      // An exploration or a sink would stay.
      if (lasting.includes(input.row)) return 'refused'
      const stage = stages.for(input)
      const status = await spoken(Number(new URL(stage.emulator.trainingUrl).port), input)
      const isUnsettled = input.row === 'settleWorld' && status === 409
      const isAccepted = (status >= 200 && status < 400) || isUnsettled
      return stage.after(input, isAccepted && input.method !== 'GET')
    },
    end: stages.end,
  })
}

/** Ways to say where a body ends, most of them wrong. */
const framings = [
  'chunked',
  'wrong chunks',
  'too long',
  'too short',
  'none',
  'twice',
  'cut',
] as const

/** Sends a call as bytes, and returns the status of the answer; 0 if the connection ended without one. */
async function spoken(port: number, input: CallInput): Promise<number> {
  const { method, path, query, headers } = input
  const { framing = '', ...sent } = headers
  const bytes = bytesOf(input)
  const body = bytes === 'too-large' ? Buffer.from('{}') : Buffer.from(bytes)
  const target = encodeURI(`${path}${query && '?'}${query}`).replaceAll('%25', '%')
  const lines = Object.entries(sent).map(
    ([name, value]) => `${name}: ${value.replaceAll(/[\r\n]/g, '')}`,
  )
  const head = [
    `${method} ${target.slice(0, 8000)} HTTP/1.1`,
    'host: 127.0.0.1',
    'connection: close',
  ]
  const [framed, content] = framedBody(framing, body)
  const written = [...head, ...lines, ...framed, '', ''].join('\r\n')
  const received: Buffer[] = []
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('data', (chunk) => {
      received.push(chunk)
      // A stream of events has no end.
      if (chunk.includes('text/event-stream')) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.write(Buffer.concat([Buffer.from(written, 'latin1'), content]))
    // The server waits for the rest of a body. An answer must not be broken off, and an empty body has no rest.
    if (framing === 'too long' || (framing === 'cut' && body.length > 0)) socket.end()
  })
  const answer = Buffer.concat(received).toString()
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)
  assertAnswer(input, status, answer, false)
  return status
}

function framedBody(framing: string, body: Buffer): [string[], Buffer] {
  const length = `content-length: ${body.length}`
  const chunk = (size: string): Buffer => {
    return Buffer.concat([Buffer.from(`${size}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
  }
  switch (framing) {
    case 'chunked':
      return [['transfer-encoding: chunked'], chunk(body.length.toString(16))]
    case 'wrong chunks':
      return [['transfer-encoding: chunked'], chunk('zz')]
    case 'too long':
      return [[`content-length: ${body.length + 10}`], body]
    case 'too short':
      return [[`content-length: ${Math.max(0, body.length - 1)}`], body]
    case 'none':
      return [[], Buffer.alloc(0)]
    case 'twice':
      return [[length, 'content-length: 1'], body]
    case 'cut':
      return [[length], body.subarray(0, body.length / 2)]
    default:
      return [[length], body]
  }
}
