import { describe, expect, it } from 'vitest'
import type { Components } from '../../../src/service/contract/pydantic/schema.js'
import type { Operation } from '../../../src/service/api/operation.js'
import { operations } from '../../../src/compose/control-table.js'
import { scenarioJsonSchema } from '../../../src/service/scenario/scenario-json-schema.js'
import { controlled } from './control.js'

type JsonSchema = Readonly<Record<string, unknown>>

const rows = operations.filter(({ host }) => host === 'control')

/** The objects in a schema that take keys which they do not declare: a typo would be ignored there. */
function openObjects(schema: JsonSchema, place: string): string[] {
  const inner = Object.entries(schema).flatMap(([key, part]) => {
    return Object(part) === part ? openObjects(part as JsonSchema, `${place}.${key}`) : []
  })
  const isOpen = typeof schema.properties === 'object' && schema.additionalProperties !== false
  return isOpen ? [place, ...inner] : inner
}

/** A typo of a key: its last letter twice. */
function typoOf(key: string): string {
  return key + key.at(-1)
}

function suggestion(typo: string, key: unknown): unknown {
  return expect.stringMatching(new RegExp(`"${typo}"[;.] did you mean "${String(key)}"\\?`, 'i'))
}

function pathOf({ path }: Operation): string {
  return path
    .replace('/_emulator', '')
    .replaceAll('{step}', '0')
    .replaceAll(/\{\w+\}/g, 'any')
}

describe('a mistyped name in a call of the control API', () => {
  it('is refused as the path of all, when the id of one is empty', async () => {
    const { call, emulator } = controlled()
    emulator.faults.add({ fault: 'hang' })
    const detail = 'Not found: the path ends in a slash. Nearest: /_emulator/faults'
    expect(await call('DELETE /faults/')).toEqual({ status: 404, body: { detail } })
    expect(emulator.engine.faults.all).toHaveLength(1)
  })

  it.each(rows.filter(({ query }) => query))('is refused in the query of $path', async (row) => {
    const { call } = controlled()
    for (const { name } of row.query!.describe({})) {
      const typo = typoOf(name as string)
      const refused = await call(`${row.method} ${pathOf(row)}?${typo}=1`)
      expect(refused).toEqual({ status: 400, body: { detail: suggestion(typo, name) } })
    }
  })

  it.each(rows)('is refused in the body of $path', async (row) => {
    const { call } = controlled()
    const components: Components = {}
    const described = row.body?.describe(components).$ref as string | undefined
    // A part of a scenario has a schema of its own: see below.
    if (described === undefined) return
    const { properties } = components[described.split('/').at(-1)!] as { properties: object }
    for (const key of Object.keys(properties)) {
      const refused = await call(`${row.method} ${pathOf(row)}`, { [typoOf(key)]: 1 })
      expect(refused).toEqual({ status: 400, body: { detail: suggestion(typoOf(key), key) } })
    }
  })

  it('is refused in each object in a body, however deep', () => {
    const components: Components = {}
    for (const { body } of rows) body?.describe(components)
    expect(openObjects(components as JsonSchema, 'bodies')).toEqual([])
    expect(openObjects(scenarioJsonSchema(), 'scenario')).toEqual([])
  })

  it.each([
    ['POST /faults', { fault: 'status', match: { operatoin: 'x' } }, 'operatoin', 'operation'],
    ['POST /webhooks', { name: 'a', adversary: [{ do: 'late', wihtin: 1 }] }, 'wihtin', 'within'],
    [
      'POST /scenario',
      { scenario: { name: 'a', jobs: [{ timeline: [], matc: {} }] } },
      'matc',
      'match',
    ],
    ['POST /jobs', { timeline: [{ event: 'gradient_step', cuont: 1 }] }, 'cuont', 'count'],
    ['POST /automations', { nam: 'a', event: 'RUN_STATE' }, 'nam', 'name'],
  ])('is named with the key that was meant: %s %j', async (line, body, typo, key) => {
    const { call } = controlled()
    const refused = await call(line, body)
    expect(refused).toEqual({ status: 400, body: { detail: suggestion(typo, key) } })
  })

  it.each(rows)('is refused by a call without parameters: $method $path', async (row) => {
    const { emulator, call } = controlled()
    const before = emulator.journal.entries.length
    if (!row.query) {
      const refused = await call(`${row.method} ${pathOf(row)}?wait=1`)
      expect(refused).toMatchObject({
        status: 400,
        body: {
          detail: expect.stringMatching(
            /^query\.wait: unknown parameter "wait"\. This call takes none\./,
          ),
        },
      })
    }
    // The MCP server reads its body itself, and refuses it in the words of JSON-RPC.
    if (!row.body && row.method !== 'GET' && row.id !== 'callMcp') {
      const refused = await call(`${row.method} ${pathOf(row)}`, { wait: 1 })
      expect(refused).toMatchObject({
        status: 400,
        body: { detail: 'body.wait: unknown key "wait". This call takes no body.' },
      })
    }
    expect(emulator.journal.entries).toHaveLength(before)
  })

  it.each([
    ['POST /jobs', { kind: 'sfd' }, '"sfd" is not allowed here. Did you mean "sft"?'],
    ['POST /trigger', { event: 'RUN_STATE', state: 'runing' }, 'Did you mean "running"?'],
    ['POST /reset', { scenario: 5 }, 'body.scenario'],
    ['GET /jobs?status=faild', undefined, '"faild" is not allowed here. Did you mean "failed"?'],
    ['GET /jobs?limit=ten', undefined, 'query.limit'],
    ['GET /jobs?limit=1&limit=2', undefined, 'query.limit: given more than once; pass it once.'],
    [
      'GET /requests/count?operation=createRlTrainingJop',
      undefined,
      'Did you mean "createRlTrainingJob"?',
    ],
    ['GET /requests?method=PSOT', undefined, 'Did you mean "POST"?'],
    ['GET /deliveries?event=RUN_STAT', undefined, 'Did you mean "RUN_STATE"?'],
    ['GET /deliveries?state=deliverd', undefined, 'Did you mean "delivered"?'],
    ['GET /trace?format=jsn', undefined, 'Did you mean "json"?'],
  ])('gets a suggestion: %s %j', async (line, body, hint) => {
    const { emulator, call } = controlled()
    const refused = await call(line, body)
    expect(refused).toEqual({ status: 400, body: { detail: expect.stringContaining(hint) } })
    expect(emulator.journal.entries).toEqual([])
    expect(emulator.scenario.name).toBe('happy-path')
  })

  it.each([
    ['GET /jobs?model=poett', 'no model has the id or name "poett". Did you mean "poet"?'],
    [
      'GET /deliveries?webhook=recever',
      'no webhook named "recever". Did you mean "receiver"? There are: receiver.',
    ],
    ['GET /deliveries?automation=runs', 'There is no automation named "runs".'],
    ['GET /deliveries?job=unknown', 'there is no job "unknown": there is none yet'],
    ['GET /requests/count?job=unknown', 'there is no job "unknown": there is none yet'],
    ['POST /faults/fault-9/open', 'there is no fault "fault-9": there is none yet'],
  ])('is not found: %s', async (line, hint) => {
    const { emulator, call } = controlled({
      webhooks: ['http://receiver.test/hook'],
      send: () => Promise.resolve({ status: 200, body: '' }),
    })
    await emulator.models.create({ name: 'poet' })
    const refused = await call(line)
    expect(refused).toEqual({ status: 404, body: { detail: expect.stringContaining(hint) } })
  })

  it('is not confused with a model that has no jobs yet', async () => {
    const { emulator, call } = controlled()
    await emulator.models.create({ name: 'poet' })
    expect(await call('GET /jobs?model=poet')).toEqual({ status: 200, body: { jobs: [] } })
  })
})

it('an empty body equals no body for a call without a body', async () => {
  const { call } = controlled()
  for (const body of [undefined, {}, 'null']) {
    expect((await call('POST /clock/next', body)).status).toBe(200)
  }
  expect(await call('POST /clock/next', [1])).toMatchObject({ status: 400 })
})
