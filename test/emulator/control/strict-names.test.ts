import { distance } from 'fastest-levenshtein'
import { describe, expect, it } from 'vitest'
import type { Components } from '../../../src/service/contract/pydantic/schema.js'
import type { Operation } from '../../../src/service/api/operation.js'
import { operations } from '../../../src/compose/control-table.js'
import { scenarioJsonSchema } from '../../../src/service/scenario/scenario-json-schema.js'
import { caller, controlled } from './control.js'

type JsonSchema = Readonly<Record<string, unknown>>

const rows = operations.filter(({ host }) => host === 'control')
const scenario = scenarioJsonSchema()
const parts = scenario.properties as Record<string, { items: JsonSchema }>

/** The rows whose bodies, or a part of them, are as a scenario has it. */
const partSchemas: Readonly<Record<string, JsonSchema>> = {
  addFault: parts.faults!.items,
  addWebhook: parts.webhooks!.items,
  addAutomation: parts.automations!.items,
  chooseScenario: { properties: { scenario }, type: 'object' },
}

/** An object that a body may have somewhere: the keys it knows, and the body around it. */
interface Place {
  /** The keys around it. */
  path: string[]
  keys: string[]
  body: (typo: object) => unknown
}

/** All objects with properties in a schema. */
function placesIn(
  schema: JsonSchema,
  whole: JsonSchema,
  seen: readonly JsonSchema[] = [],
): Place[] {
  if (seen.includes(schema) || seen.length > 12) return []
  const inner = (
    part: unknown,
    around: (inside: unknown) => unknown,
    name: readonly string[] = [],
  ): Place[] => {
    const places = placesIn(Object(part ?? {}) as JsonSchema, whole, [...seen, schema])
    return places.map(({ path, keys, body }) => {
      return { path: [...name, ...path], keys, body: (typo) => around(body(typo)) }
    })
  }
  if (typeof schema.$ref === 'string')
    return inner(referred(schema.$ref, whole), (inside) => inside)
  const variants = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  if (variants) return variants.flatMap((variant) => inner(variant, (inside) => inside))
  if (schema.type === 'array') return inner(schema.items, (item) => [item])
  if (typeof schema.properties !== 'object') {
    return inner(schema.additionalProperties, (value) => ({ some: value }))
  }
  const fields = Object.entries(schema.properties as Record<string, JsonSchema>)
  // What tells the variants of a union apart.
  const consts = Object.fromEntries(
    fields.filter(([, field]) => 'const' in field).map(([key, field]) => [key, field.const]),
  )
  const keys = fields.map(([key]) => key)
  const own = { path: [], keys, body: (typo: object) => ({ ...consts, ...typo }) }
  return [
    own,
    ...fields.flatMap(([key, field]) => {
      return inner(field, (inside) => ({ ...consts, [key]: inside }), [key])
    }),
  ]
}

function referred(pointer: string, whole: JsonSchema): JsonSchema {
  const steps = pointer.split('/').slice(1)
  return steps.reduce<unknown>((found, step) => (found as JsonSchema)[step], whole) as JsonSchema
}

function placesOf(row: Operation): Place[] {
  const components: Components = {}
  const described = row.body?.describe(components)
  const part = partSchemas[row.id]
  return [
    ...(described ? placesIn(described, { components: { schemas: components } }) : []),
    ...(part ? placesIn(part, scenario) : []),
  ]
}

/**
 * The places of a row by the part of the body. A whole scenario has thousands of typos: too many for one test. An
 * object that a part has in several places, such as `match` in each kind of fault, counts once.
 */
function partsOf(row: Operation): { row: Operation; part: string; places: Place[] }[] {
  const found = new Map<string, Map<string, Place>>()
  for (const place of placesOf(row)) {
    const name = place.path.slice(0, 2).join('.')
    const places = found.get(name) ?? new Map<string, Place>()
    const same = [place.path.at(-1), ...place.keys].join(' ')
    if (!places.has(same)) places.set(same, place)
    found.set(name, places)
  }
  return [...found].map(([name, places]) => {
    return { row, part: name === '' ? 'the body' : name, places: [...places.values()] }
  })
}

/**
 * Typos of a key: a missing letter, a doubled letter, two swapped letters. Valid keys are left out.
 */
function typosOf(key: string, known: readonly string[]): string[] {
  const middle = key.length >> 1
  const [left, right] = [key.slice(0, middle), key.slice(middle)]
  const typos = [
    left + right.slice(1),
    left + right[0] + right,
    left.slice(0, -1) + right[0] + left.slice(-1) + right.slice(1),
  ]
  return [...new Set(typos)].filter((typo) => typo !== '' && !known.includes(typo))
}

/** Names the typo, and suggests the key, or one that is as near. */
function expectSuggestion(detail: string, typo: string, key: string): void {
  const [, meant] =
    detail
      .split(`"${typo}"`)
      .slice(1)
      .join('')
      .match(/^[;.] did you mean "(.*?)"\?/i) ?? []
  expect({ detail, typo, meant }).toMatchObject({ meant: expect.any(String) })
  if (meant !== key) expect(distance(typo, meant!)).toBeLessThanOrEqual(distance(typo, key))
}

function pathOf({ path }: Operation): string {
  return path
    .replace('/_emulator', '')
    .replaceAll('{step}', '0')
    .replaceAll(/\{\w+\}/g, 'any')
}

describe('a mistyped name in a call of the control API', () => {
  it.each(rows.filter(({ query }) => query))(
    'is refused in the query of $method $path',
    async (row) => {
      const { call } = controlled()
      const known = row.query!.describe({}).map(({ name }) => name as string)
      for (const key of known) {
        for (const typo of typosOf(key, known)) {
          const refused = await call(`${row.method} ${pathOf(row)}?${typo}=1`)
          expect(refused.status).toBe(400)
          expectSuggestion(refused.body.detail, typo, key)
        }
      }
    },
  )

  const withBodies = rows.filter(({ body }) => body)

  it.each(withBodies)('has places in the body of $method $path', (row) => {
    expect(placesOf(row).length).toBeGreaterThan(0)
  })

  it.each(withBodies.flatMap(partsOf))(
    'is refused in $part of $row.method $row.path, however deep',
    async ({ row, places }) => {
      const { call } = controlled()
      for (const { keys, body } of places) {
        for (const key of keys) {
          for (const typo of typosOf(key, keys)) {
            const refused = await call(`${row.method} ${pathOf(row)}`, body({ [typo]: 1 }))
            expect(refused.status).toBe(400)
            expectSuggestion(refused.body.detail, typo, key)
          }
        }
      }
    },
  )

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
    ['POST /trigger', { event: 'RUN_STAT' }, 'Did you mean RUN_STATE?'],
    ['POST /trigger', { event: 'RUN_STATE', state: 'runing' }, 'Did you mean "running"?'],
    ['POST /reset', { scenario: 'failing-jop' }, 'Did you mean "failing-job"?'],
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
  const { emulator } = controlled()
  const call = caller(emulator, emulator.fetch)
  for (const body of [undefined, {}, 'null']) {
    expect((await call('POST /clock/next', body)).status).toBe(200)
  }
  expect(await call('POST /clock/next', [1])).toMatchObject({ status: 400 })
})
