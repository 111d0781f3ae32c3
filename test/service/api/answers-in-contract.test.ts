import { describe, expect, it } from 'vitest'
import { apiErrors } from '../../../src/service/contract/errors.js'
import { fieldsIn, type ContractChange } from '../../../src/service/contract/changes.js'
import { pageOf } from '../../../src/service/contract/page.js'
import { dictionary } from '../../../src/service/contract/pydantic/containers.js'
import { integer } from '../../../src/service/contract/pydantic/integer.js'
import { model } from '../../../src/service/contract/pydantic/model.js'
import { number, string } from '../../../src/service/contract/pydantic/scalars.js'
import type { Schema } from '../../../src/service/contract/pydantic/schema.js'
import { versioned } from '../../../src/service/contract/versioned.js'
import { olderRows } from '../../../src/service/api/in-contract.js'
import { describeApi } from '../../../src/service/api/openapi.js'
import { operation, type Operation } from '../../../src/service/api/operation.js'
import { Reply, WrittenReply, type Result } from '../../../src/service/api/result.js'

/** A change that no contract made: the place of a job in its queue. */
const change: ContractChange = {
  since: '2026-11',
  type: 'Waiting',
  field: 'place',
  path: 'place',
  inAnswers: true,
  before: 'does not exist',
  after: 'is an integer',
  source: 'documentation',
  older: undefined,
}

const waiting = versioned((version) => {
  const fields = { id: string, place: integer, data: dictionary(number) }
  return model('Waiting', fieldsIn(version, 'Waiting', fields, [change]))
})
const page = versioned((version) => pageOf(waiting.in(version)))

const newest = { id: 'a', place: 3, data: { loss: 1 } }
const older = { id: 'a', data: { loss: 1 } }

/** The row with this answer, in both contracts. */
function rowWith(response: Schema<never>, result: unknown): Operation {
  return operation({
    id: 'wait',
    host: 'training',
    method: 'GET',
    path: '/wait',
    name: 'wait',
    tag: 'wait',
    summary: 'Wait',
    auth: 'open',
    response,
    run: () => result as never,
  })
}

function answered(response: Schema<unknown>, result: unknown): Result | Promise<Result> {
  const [row] = olderRows([rowWith(response as Schema<never>, result)], '2026-01')
  return row!.run({} as never)
}

describe('a field that answers of the newest contract have', () => {
  it('is missing in those of an older one', () => {
    expect(answered(waiting, newest)).toEqual(older)
    expect(newest).toHaveProperty('place')
  })

  it('is missing in an answer that comes later, or has its own status', async () => {
    expect(await answered(waiting, Promise.resolve(newest))).toEqual(older)
    const reply = answered(waiting, new Reply(202, newest, { 'x-a': 'b' }))
    expect(reply).toEqual(new Reply(202, older, { 'x-a': 'b' }))
  })

  it('is missing in an answer that was written, whose numbers stay as they are', () => {
    const items = ['NaN', '-Infinity', '0.1', '9007199254740993', '1e+21'].map((value) => {
      return `{"id":"a","place":3,"data":{"loss":${value}}}`
    })
    const json = `{"object":"list","data":[${items.join()}],"first_id":"a","last_id":"a","has_more":false}`
    const written = answered(page, new WrittenReply(json)) as WrittenReply
    // An integer that no float holds is rounded, because the schema has a float.
    const expected = json.replaceAll('"place":3,', '').replace('740993', '740992')
    expect(written.json).toBe(expected)
  })

  it('changes no refusal', () => {
    const refusal = apiErrors.modelNotFound()
    expect(answered(waiting, refusal)).toBe(refusal)
  })

  it('is in the document of the newest contract only', () => {
    const rows = [rowWith(waiting as Schema<never>, newest)]
    const fieldsOf = (table: readonly Operation[]): string[] => {
      const { components } = describeApi(table, 'training') as {
        components: { schemas: { Waiting: { properties: object } } }
      }
      return Object.keys(components.schemas.Waiting.properties)
    }
    expect(fieldsOf(rows)).toEqual(['id', 'place', 'data'])
    expect(fieldsOf(olderRows(rows, '2026-01'))).toEqual(['id', 'data'])
  })
})

it('an answer that does not match the schema of an older contract is a mistake of the emulator', () => {
  expect(() => answered(waiting, { id: 'a', place: 3 })).toThrow(
    'not a Waiting of an older contract',
  )
})
