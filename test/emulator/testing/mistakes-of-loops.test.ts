import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formNames, loopIn } from './loop-in-forms.js'
import { mistakes, type Mistake } from './mistakes.js'

/** Each mistake, with all forms of answers: a check finds it, or the reference lists it among what no check finds. */

const listedInReference = readFileSync(
  join(import.meta.dirname, '../../../docs/reference/checks.md'),
  'utf8',
).split('## What no check finds')[1]!

describe.each(Object.entries<Mistake>(mistakes))('%s', (_what, mistake) => {
  const { make, forms = formNames, found = [], foundIn = {}, listed, scenario } = mistake

  it.each(forms)('is found or listed, as %s', async (form) => {
    const config = form === 'messages' && { config: { allow_training_without_logprobs: true } }
    const loop = await loopIn(form, { ...config, ...(scenario && { scenario }) })
    await make(loop)
    const expected = foundIn[form] ?? found
    expect(loop.found()).toEqual(expected)
    if (expected.length === 0) expect(listedInReference).toContain(listed!)
  })
})
