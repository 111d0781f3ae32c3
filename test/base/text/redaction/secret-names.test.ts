import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  HINT_OF_SECRET_NAME,
  isSecretName,
} from '../../../../src/base/text/redaction/secret-names.js'

const WORDS =
  'api access private secret subscription signing encryption master account shared key id passwd password passphrase credential credentials authorization authentication cookie cookies refresh auth session security bearer token client assertion jwt sig pwd signature sid max_tokens name'.split(
    ' ',
  )

it('each name of a secret has the hint that the quick search looks for', () => {
  const name = fc
    .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 })
    .chain((words) => fc.constantFrom('', '_', '-', '.').map((between) => words.join(between)))
    .chain((text) => fc.constantFrom(text, text.toUpperCase()))
  let secrets = 0
  fc.assert(
    fc.property(name, fc.constantFrom('field', 'header', 'query'), (each, place) => {
      if (!isSecretName(each, place)) return
      secrets++
      expect(each).toMatch(HINT_OF_SECRET_NAME)
    }),
    { numRuns: 2000 },
  )
  expect(secrets).toBeGreaterThan(100)
})

it.each(['DB_PASSWORD_PROD', 'API_KEY_2', 'hfToken2'])('the variable %s is a secret', (name) => {
  expect(isSecretName(name, 'variable')).toBe(true)
  expect(isSecretName(name, 'field')).toBe(false)
})
