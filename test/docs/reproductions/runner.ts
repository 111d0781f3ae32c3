import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { root } from '../../support/pages.js'
import { asInstalled, createProject, type Project } from '../../support/project.js'
import { clientOf } from '../../support/api-client.js'
import { createModel, startJob } from '../../support/trainer.js'
import { errorOf, type Reproductions } from './reproduction.js'

async function project(): Promise<Project> {
  const created = await createProject()
  onTestFinished(() => created.remove())
  return created
}

/** A test that uses a matcher. */
const usesMatcher = `
  import { expect, test } from 'vitest'
  import { createEmulator } from 'svtrain-emulator'

  test('ends', async () => {
    const emulator = createEmulator()
    await emulator.jobs.start({ model: 'poet' })
    await emulator.settle()
    expect(emulator.job()).toHaveEnded()
  })`

const compilerOptions = (module: string): string =>
  JSON.stringify({ compilerOptions: { module, strict: true, noEmit: true, skipLibCheck: true } })

export const runner: Reproductions = {
  'Must use import to load ES Module': async () => {
    const { write, node, jest } = await project()
    const program = join(root, 'node_modules', 'jest', 'bin', 'jest.js')
    await write('jest.config.json', '{ "testMatch": ["**/*.cjs"], "transform": {} }')
    const end = "test('loads', () => expect(createEmulator).toBeInstanceOf(Function))"
    await write('load.cjs', `const { createEmulator } = require('svtrain-emulator')\n${end}`)
    const said = await node([program, '--config', 'jest.config.json'])
    await write(
      'load.cjs',
      `let createEmulator
       beforeAll(async () => ({ createEmulator } = await import('svtrain-emulator')))
       ${end}`,
    )
    const fixed = await jest('--config', 'jest.config.json')
    return { said, isFixed: fixed.includes('1 passed') }
  },

  'Invalid Chai property: toHaveEnded': async () => {
    const { write, vitest } = await project()
    const configure = (settings: object): Promise<void> =>
      write('vitest.config.js', `export default { test: ${JSON.stringify(settings)} }`)
    await write('end.test.js', usesMatcher)
    await configure({ deps: asInstalled })
    const said = await vitest()
    await write('set-up.js', "import 'svtrain-emulator/vitest'")
    await configure({ deps: asInstalled, setupFiles: ['./set-up.js'] })
    return { said, isFixed: (await vitest()).includes('1 passed') }
  },

  'error TS1479': async () => {
    const { write, node } = await project()
    const compile = (): Promise<string> =>
      node([join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '--project', '.'])
    await write('load.cts', "import { createEmulator } from 'svtrain-emulator'\ncreateEmulator()")
    await write('tsconfig.json', compilerOptions('node16'))
    const said = await compile()
    await write('tsconfig.json', compilerOptions('nodenext'))
    return { said, isFixed: !(await compile()).includes('TS1479') }
  },

  '(duplicateJobs: false allows it)': async () => {
    const emulator = createEmulator()
    const client = clientOf(emulator)
    const { id } = await createModel(client)
    await startJob(client, id)
    await startJob(client, id)
    await emulator.settle()
    const said = await errorOf(() => {
      emulator.assertClientChecks()
    })
    const isFixed =
      (await errorOf(() => {
        emulator.assertClientChecks({ duplicateJobs: false })
      })) === 'no error'
    return { said, isFixed }
  },
}
