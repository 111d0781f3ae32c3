import { expect, it, vi } from 'vitest'
import { warningOf } from '../../../src/service/engine/warnings.js'

const pauses = { waited: 3000, polls: 4, job: '8ea2aea6-0000' }

it('tells the process of many emulators each warning once, with a code that turns it off', async () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue()
  vi.resetModules()
  const { warnProcess } = await import('../../../src/emulator/adapters/process-warnings.js')
  const sleeping = warningOf('sleeping-client', pauses)
  for (const _test of Array.from({ length: 500 })) warnProcess(sleeping)
  const real = warningOf('real-time-polls', pauses)
  warnProcess(real)

  const type = 'EmulatorWarning'
  expect(emitWarning.mock.calls).toEqual([
    [sleeping.text, { type, code: 'SVTRAIN_SLEEPING_CLIENT' }],
    [real.text, { type, code: 'SVTRAIN_REAL_TIME_POLLS' }],
  ])
  emitWarning.mockRestore()
})
