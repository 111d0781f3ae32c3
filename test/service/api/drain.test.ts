import { expect, it, vi } from 'vitest'
import { drain } from '../../../src/service/api/drain.js'
import { createEmulator } from '../../../src/index.js'

it('an answer that hangs and that nobody reads hangs no more', () => {
  const leave = vi.fn<() => void>()
  drain({ kind: 'hang', until: Promise.resolve(true), leave }, createEmulator())
  expect(leave).toHaveBeenCalledOnce()
})
