import { expect, it } from 'vitest'
import { keyLike } from '../../../src/base/text/vendor/keys.js'

it.each([
  ['0123456789abcdef0123456789abcdef01234567', /^0{40}$/],
  [`wandb_v1_${'aB3_'.repeat(20)}`, /^wandb_v1_0{80}$/],
  ['wandb_v1_short', /^wandb_v1_0{31}$/],
  ['local-0123456789abcdef0123456789abcdef01234567', undefined],
  ['', undefined],
])('a key like %s has its form, and nothing else of it', (key, form) => {
  if (form) expect(keyLike(key)).toMatch(form)
  else expect(keyLike(key)).toBeUndefined()
})
