import { expect, it } from 'vitest'
import { assertBuilt } from '../cli/command.js'
import { patternOf } from '../support/pages.js'
import { Session, startOf } from './session.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** What would let an example of the documentation pass although it is wrong. */

it('a session reaches the emulator under the addresses of the page, and notices refusals', async () => {
  assertBuilt()
  const session = new Session(temporaryFolder())
  await session.start(startOf('npx svtrain-emulator --port 4700')!)
  const { stdout } = await session.run('curl -s http://127.0.0.1:4700/_emulator/ready | cat')
  expect(stdout).not.toBe('')
  expect(await session.run('curl -s http://127.0.0.1:4700/v1/nothing | cat')).toMatchObject({
    code: 1,
  })
  await session.stop()
})

it('output is compared with any id, any time, and any text for an ellipsis', () => {
  const shown = 'POST /v1/models 200 1.2 ms (a … b)\n  → job 1b2c3d4e-… on poet\n'
  const printed = 'before\nPOST /v1/models 200 13 ms (a x b)\n  → job 0a0b0c0d-1 on poet\nafter'
  expect(printed).toMatch(patternOf(shown))
  expect(printed.replace('poet', 'other')).not.toMatch(patternOf(shown))
})
