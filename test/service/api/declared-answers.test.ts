import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { integer } from '../../../src/service/contract/pydantic/integer.js'
import { list } from '../../../src/service/contract/pydantic/containers.js'
import { model } from '../../../src/service/contract/pydantic/model.js'
import { optional } from '../../../src/service/contract/pydantic/fields.js'
import { string } from '../../../src/service/contract/pydantic/scalars.js'
import { getTrainingJob } from '../../../src/service/api/training-jobs.js'
import { clientOf } from '../../support/api-client.js'
import { asking, checkAnswer, expectDeclared } from '../../support/check-answer.js'

const row = {
  ...getTrainingJob,
  response: model('Job', {
    id: string,
    steps: list(model('Step', { at: integer })),
    note: optional(string),
  }),
}
const right = { id: 'a', steps: [{ at: 0 }, { at: 1 }], note: 'x' }

describe('the check of answers, which each call of `clientOf` makes', () => {
  it.each([
    ['a missing field', { id: 'a' }, 'steps: Field required, got {"id":"a"}'],
    ['another type', { ...right, id: 1 }, 'id: Input should be a valid string, got 1'],
    ['null', null, 'the whole answer: '],
    [
      'an unknown field in a list',
      { ...right, steps: [{ at: 0 }, { at: 1, by: 'x' }] },
      'steps.1.by: the schema does not have it, got "x"',
    ],
    [
      'a value that the framework would convert',
      { ...right, steps: [{ at: '7' }] },
      'steps.0.at: expected 7, got "7"',
    ],
  ])('names the operation, the place and the value: %s', (_, answer, expected) => {
    expect(() => expectDeclared(row, answer)).toThrow(expected)
    expect(() => expectDeclared(row, answer)).toThrow('The answer of getTrainingJob is not')
  })

  it('finds the row of a call, and leaves out what a fault changed', async () => {
    const emulator = createEmulator({ clock: 'manual' })
    const asked = asking(emulator, 'GET', '/v1/preview/base-models')
    await clientOf(emulator).get('/preview/base-models')
    expect(() => checkAnswer(asked, [1])).toThrow(
      'The answer of listBaseModels is not what its schema in src/service/contract/ declares. 0: ',
    )
    emulator.faults.add({ fault: 'edit', set: { '0': 1 } })
    const edited = asking(emulator, 'GET', '/v1/preview/base-models')
    const { body } = await clientOf(emulator).get('/preview/base-models')
    expect(body[0]).toBe(1)
    expect(() => checkAnswer(edited, body)).not.toThrow()
  })
})
