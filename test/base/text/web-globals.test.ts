import { expect, it } from 'vitest'
import { completeGlobals, type EnvironmentError } from '../../../src/base/text/web-globals.js'

/** The names of what an environment has, without those that it hides. */
function environment(hidden: readonly string[]): Record<string, unknown> {
  const names = Object.getOwnPropertyNames(globalThis).filter((name) => !hidden.includes(name))
  return Object.fromEntries(names.map((name) => [name, Reflect.get(globalThis, name) as unknown]))
}

it('takes from Node what its environment hides', () => {
  const here = environment(['fetch', 'Request', 'setImmediate'])
  completeGlobals(here)
  expect(here).toMatchObject({ fetch, Request, setImmediate })
})

it('takes what only Node has, also if nothing else is hidden', () => {
  const here = environment(['setImmediate'])
  completeGlobals(here)
  expect(here).toMatchObject({ setImmediate })
})

it('says in one sentence what an environment lacks, and what to do', () => {
  const load = (): void => completeGlobals(environment(['fetch', 'Request', 'process']))
  expect(load).toThrow(
    expect.objectContaining<Partial<EnvironmentError>>({
      code: 'SVTRAIN_ENVIRONMENT',
      message:
        'Failed to load: this environment has no fetch, Request. In Jest, begin the file with the comment /** @jest-environment node */, or use jest-fixed-jsdom.',
    }),
  )
})
