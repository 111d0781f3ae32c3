import { basename, join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { pathFor } from '../../../../src/cli/tools/explore/files.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'

it('writes a failure over an earlier one only if it is the same', async () => {
  const folder = temporaryFolder()
  const begin = 'the code failed after createRlTrainingJob was refused with 503: Error:'
  const nameOf = async (title: string): Promise<string> => {
    return basename(await pathFor({ number: 1, title }, folder))
  }
  const short = '1-the-code-failed-after-create-rl-training-job'
  expect(await nameOf(`${begin} no job 17`)).toBe(short)
  writeFileSync(join(folder, `${short}.yaml`), `# ${begin} no job 17\n`)
  expect(await nameOf(`${begin} no job 18`)).toBe(short)
  expect(await nameOf(`${begin} no model`)).toBe(`${short}-2`)
  writeFileSync(join(folder, `${short}-2.log`), `${begin} no model\n`)
  expect(await nameOf(`${begin} no adapter`)).toBe(`${short}-3`)
})
