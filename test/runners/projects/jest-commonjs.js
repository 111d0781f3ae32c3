// A CommonJS test: Jest can't `require` an ES module, and can import it.
/* global beforeAll, expect, test */
let createEmulator

beforeAll(async () => {
  const [{ matchers }, emulators] = await Promise.all([
    import('svtrain-emulator/jest'),
    import('svtrain-emulator'),
  ])
  expect.extend(matchers)
  createEmulator = emulators.createEmulator
})

test('a job that fails', async () => {
  const emulator = createEmulator({ scenario: 'failing-job' })
  const job = await emulator.jobs.start({ model: 'poet' })
  await emulator.settle()
  expect(job).toHaveFailed(/out of memory/)
  await emulator.close()
})
