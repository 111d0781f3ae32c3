import { basename, join } from 'node:path'
import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
  failuresIn,
  logText,
  pathFor,
  scenarioText,
} from '../../../../src/cli/tools/explore/failure-file.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { failureWith } from './failure-with.js'

const evidence = { code: 1, stdout: 'out', stderr: '', trace: 'POST /models' }
const again = "svtrain exec -- sh -c 'one\n\ntwo'"

it('writes a failure over an earlier one only if it is the same', async () => {
  const folder = temporaryFolder()
  const begin = 'the code failed after createRlTrainingJob was refused with 503: Error:'
  const nameOf = async (title: string): Promise<string> => {
    return basename(await pathFor({ number: 1, title }, folder))
  }
  const short = '1-the-code-failed-after-create-rl-training-job'
  expect(await nameOf(`${begin} no job 17`)).toBe(short)
  writeFileSync(
    join(folder, `${short}.yaml`),
    scenarioText(failureWith({ title: `${begin} no job 17` }), again),
  )
  expect(await nameOf(`${begin} no job 18`)).toBe(short)
  expect(await nameOf(`${begin} no model`)).toBe(`${short}-2`)
  writeFileSync(
    join(folder, `${short}-2.log`),
    logText(failureWith({ title: `${begin} no model` }), { again, evidence }),
  )
  expect(await nameOf(`${begin} no adapter`)).toBe(`${short}-3`)
})

it.each(['a call failed', 'a call failed:\nin two lines', 'a call failed, \u001b[31mred'])(
  'recognizes the files that it wrote of %j, and finds their title',
  async (title) => {
    const failure = failureWith({ title })
    const texts = {
      '.yaml': scenarioText(failure, again),
      '.log': logText(failure, { again, evidence }),
    }
    for (const [ending, text] of Object.entries(texts)) {
      const folder = temporaryFolder()
      const path = await pathFor(failure, folder)
      writeFileSync(path + ending, text)
      expect(await failuresIn(folder)).toEqual([basename(path)])
      expect(await pathFor(failure, folder)).toBe(path)
    }
  },
)

it('leaves files and folders of the user alone, whatever their names and their commands', async () => {
  const folder = temporaryFolder()
  const title = 'a call failed'
  const mine = `# ${title}\n# npx svtrain-emulator exec --seed 1 -- node loop.mjs\nname: mine\n`
  writeFileSync(join(folder, '1-a-call-failed.yaml'), mine)
  mkdirSync(join(folder, '1-a.log'))
  expect(await failuresIn(folder)).toEqual([])
  expect(await pathFor({ number: 1, title }, folder)).toBe(join(folder, '1-a-call-failed-2'))
  expect(await failuresIn(join(folder, 'missing'))).toEqual([])
})
