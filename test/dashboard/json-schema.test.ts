import { describe, expect, it } from 'vitest'
import { fieldKindOf } from '../../src/dashboard/kit/json-schema.js'

describe('the field of a list', () => {
  it('takes values with commas between them if they are texts or numbers', () => {
    const list = { type: 'array', items: { type: 'string' } }
    expect(fieldKindOf(list)).toMatchObject({ kind: 'list', of: 'text' })
  })

  it('takes JSON if the schema does not say what is in the list', () => {
    expect(fieldKindOf({ type: 'array' })).toEqual({ kind: 'json' })
  })
})
