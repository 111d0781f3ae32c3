import { expect, it } from 'vitest'
import { CalledHosts } from '../../../src/emulator/intercept/called-hosts.js'

it('a client that leaves without a call may distrust the certificate, unless its calls arrive', () => {
  const hosts = new CalledHosts()
  hosts.left('api.training.test')
  const failuresNow = () => hosts.all[0]!.failures
  expect(failuresNow()).toEqual([
    expect.stringContaining('may not trust the certificate') as string,
  ])
  // It had opened one connection too many.
  hosts.count('api.training.test', 'answered')
  expect(failuresNow()).toEqual([])
})
