import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ONE_CHECKER } from '../../.build/release/types.js'
import { install, type Installed } from './installed.js'
import { run } from './shell.js'

const root = join(import.meta.dirname, '..', '..')
const compiler = join(root, 'node_modules', '.bin', 'tsc')
const NODE = Number(process.versions.node.split('.')[0])

/** The time limit of an installation with a slow connection. */
const PATIENCE = 300_000

/** The first and the last pair that we support, each on the versions of Node that its users have. */
const pairs = [
  { vitest: 4, msw: 2, nodes: 'Node 20', isFor: NODE < 22, strict: "onUnhandledRequest: 'error'" },
  { vitest: 5, msw: 3, nodes: 'Node 22', isFor: NODE >= 22, strict: "onUnhandledFrame: 'error'" },
]

/**
 * The newest clients, beside those that package.json names and test/service/api/clients uses on every Node. Their
 * versions stand here alone.
 */
const newestClients = ['openai@7.57.0', 'ai@7.0.173', '@ai-sdk/openai@4.0.118', 'zod@4.6.7']
const NODE_OF_NEWEST_CLIENTS = 22

const usersTest = (strict: string): string => `
  import { setupServer } from 'msw/node'
  import { createEmulator } from 'svtrain-emulator'
  import { handlers } from 'svtrain-emulator/msw'
  import { expect, it } from 'vitest'

  it('calls the service', async () => {
    const trainingUrl = 'https://api.example.com/v1'
    const server = setupServer(...handlers(createEmulator(), { trainingUrl }))
    server.listen({ ${strict} })
    const answer = await fetch(trainingUrl + '/preview/base-models')
    expect(await answer.json()).toContain('example/base-8b-instruct')
    server.close()
  })`

describe('the packed package, with what its users install', { timeout: PATIENCE }, () => {
  let installed: Installed
  beforeAll(async () => {
    installed = await install()
  }, PATIENCE)
  afterAll(() => installed.remove())

  for (const { vitest, msw, nodes, isFor, strict } of pairs) {
    const where = isFor ? '' : `, on ${nodes}`
    it.runIf(isFor)(`answers through MSW ${msw} in Vitest ${vitest}${where}`, async () => {
      const { folder } = installed
      const packages = [`vitest@${vitest}`, `msw@${msw}`]
      await run('npm', ['install', '--no-save', '--no-audit', '--no-fund', ...packages], folder)
      await writeFile(join(folder, 'user.test.mts'), usersTest(strict))
      expect(await run('npx', ['vitest', 'run', 'user.test.mts'], folder)).toMatch(/1 passed/)
      const options = ['--module', 'nodenext', '--strict', '--noEmit', '--skipLibCheck']
      const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules', '@types')]
      const checked = run(compiler, [...options, ...types, ...ONE_CHECKER, 'user.test.mts'], folder)
      expect(await checked).toBe('')
    })
  }

  const isTooOld = NODE < NODE_OF_NEWEST_CLIENTS
  const needs = isTooOld ? `, needs Node ${NODE_OF_NEWEST_CLIENTS}` : ''
  describe.skipIf(isTooOld)(`with the newest clients${needs}`, () => {
    beforeAll(async () => {
      const { folder } = installed
      await run('npm', ['install', '--no-audit', '--no-fund', ...newestClients], folder)
    }, PATIENCE)

    it.each([
      ['openai.mjs', 7],
      ['ai-sdk.mjs', 6],
    ])('%s runs the calls of its users', async (program, tests) => {
      const { folder } = installed
      await copyFile(join(import.meta.dirname, 'clients', program), join(folder, program))
      const told = await run('node', ['--test', '--test-reporter=tap', program], folder)
      expect(told).toContain(`# pass ${tests}\n`)
    })
  })

  it('loads little for handlers: no Express, no command line', async () => {
    const { inputs, external } = await bundled("export * from 'svtrain-emulator/msw'", 'node')
    expect(external).toEqual(['msw'])
    const bytes = Object.values(inputs).reduce((sum, each) => sum + each.bytes, 0)
    // Twice its size. Express alone has more.
    expect(bytes).toBeLessThan(40_000)
  })

  it('has an entry for browsers, without ports and files', async () => {
    const program = "export * from 'svtrain-emulator'; export * from 'svtrain-emulator/msw'"
    const { inputs, external, exports } = await bundled(program, 'browser')
    expect(external).toEqual(['msw'])
    expect(exports).toEqual(expect.arrayContaining(['createEmulator', 'handlers']))
    expect(exports).not.toContain('expressHandler')
    const ours = Object.keys(inputs).filter((file) => file.includes('/svtrain-emulator/dist/'))
    expect(ours.map((file) => file.split('/').at(-1))).toContain('browser.js')
    expect(ours.map((file) => file.split('/').at(-1))).not.toContain('index.js')
  })

  /** The output of a user's bundler. */
  async function bundled(contents: string, platform: 'node' | 'browser') {
    const { metafile } = await build({
      stdin: { contents, resolveDir: installed.folder },
      bundle: true,
      write: false,
      outfile: 'out.js',
      platform,
      format: 'esm',
      external: ['msw'],
      metafile: true,
      logLevel: 'silent',
    })
    const { imports, exports } = metafile.outputs['out.js']!
    const external = [...new Set(imports.map(({ path }) => path))]
    return { inputs: metafile.inputs, external, exports }
  }
})
