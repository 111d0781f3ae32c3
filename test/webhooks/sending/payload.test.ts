import { assert, jsonValue, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkScenario } from '../../../src/service/scenario/check-scenario.js'
import { fillPayload, templateParts } from '../../../src/service/scenario/payload-template.js'

const any = string({ unit: 'binary' })

/** The error message of a scenario with this payload. */
function problem(payload: string | Record<string, string>, webhook = {}): string {
  try {
    checkScenario({
      name: 'x',
      secrets: { MY_SECRET: 'a', TOKEN: 'b' },
      webhooks: [{ name: 'hook', url: 'http://127.0.0.1/', secret: 'MY_SECRET', ...webhook }],
      automations: [{ name: 'it', webhook: 'hook', event: 'RUN_STATE', payload }],
    })
    return 'none'
  } catch (error) {
    return (error as Error).message.split('\n')[1]!.trim()
  }
}

describe('a payload', () => {
  it('contains any text unchanged, and stays JSON', () => {
    assert(
      property(any, any, (value, around) => {
        const parts = templateParts({ text: `${around.replaceAll('$', '')}|\${alias}` })
        const filled = JSON.parse(fillPayload(parts, () => value)) as { text: string }
        expect(filled.text).toBe(`${around.replaceAll('$', '')}|${value}`)
      }),
    )
  })

  it('can be text with variables inside or outside of quotes', () => {
    assert(
      property(jsonValue(), (value) => {
        const parts = templateParts('{"in": "a \\" ${alias}", "out": ${alias}}')
        const filled = JSON.parse(fillPayload(parts, () => value)) as { in: string; out: unknown }
        expect(filled.out).toEqual(JSON.parse(JSON.stringify(value ?? '')))
        const told = typeof value === 'string' ? value : JSON.stringify(value ?? '')
        expect(filled.in).toBe(`a " ${value === null ? '' : told}`)
      }),
    )
  })

  it('has an empty string for an unset variable', () => {
    const parts = templateParts('{"in": "${alias}", "out": ${tag}}')
    expect(fillPayload(parts, () => undefined)).toBe('{"in": "", "out": ""}')
  })

  it.each([
    [
      { a: '${artifact_versoin}' },
      'automations[0].payload: there is no variable ${artifact_versoin}. Did you mean "artifact_version"?',
    ],
    [{ a: '${OTHER}' }, 'automations[0].payload: there is no variable ${OTHER}'],
    [{ a: '${MY_SECRET} ${ACCESS_TOKEN} ${SECRET_NAME}' }, 'none'],
    [{ a: '${artifact_metadata.any/thing}' }, 'none'],
    ['{"a": ${run_name}}', 'none'],
    ['{"a": ${run_name}', 'automations[0].payload: is not JSON once its variables are filled in'],
  ])('is checked with its scenario: %j', (payload, told) => {
    expect(problem(payload)).toContain(told)
  })

  it.each([
    [{ secret: 'MY_SECRIT' }, 'there is no secret named "MY_SECRIT". Did you mean "MY_SECRET"?'],
    [{ secret: ['MY_SECRET', 'TOKEN'] }, 'a webhook has at most one other secret'],
    [{ access_token: ['TOKEN', 'MY_SECRET'] }, 'a webhook has at most one access token'],
  ])('is checked together with its webhook: %j', (webhook, told) => {
    expect(problem({}, webhook)).toContain(told)
  })
})

describe('a secret', () => {
  it.each(['run_state', 'metric_name', 'constructor', '__proto__', 'toString', 'a b', ''])(
    'cannot be called %j',
    (name) => {
      const secrets: unknown = JSON.parse(`{ "${name}": "s3cret" }`)
      expect(() => checkScenario({ name: 'x', secrets })).toThrow(
        name === '__proto__' ? /expected another name; this one is reserved/ : /expected a name of/,
      )
    },
  )

  it.each(['ACCESS_TOKEN', 'SECRET_NAME', 'Run_State', '_x1'])('can be called %s', (name) => {
    expect(checkScenario({ name: 'x', secrets: { [name]: 's3cret' } }).secrets).toEqual({
      [name]: 's3cret',
    })
  })

  it('is not empty', () => {
    expect(() => checkScenario({ name: 'x', secrets: { A: '' } })).toThrow(/secrets\.A/)
  })
})
