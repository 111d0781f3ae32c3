import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { Client } from './client.js'
import { install, type Installed } from './installed.js'
import { readmeCommands } from './readme-commands.js'
import { run, Running } from './shell.js'

const root = join(import.meta.dirname, '..', '..')
const compiler = join(root, 'node_modules', '.bin', 'tsc')
/** What the first line of `--log json` says. */
interface Ready {
  trainingUrl: string
  apiKey: string
  pid: number
}

/** Enough for an installation on a slow line; what takes longer hangs. */
const PATIENCE = 120_000

describe('the packed package, in a project that has installed it', { timeout: PATIENCE }, () => {
  let installed: Installed
  beforeAll(async () => {
    installed = await install()
  }, PATIENCE)
  afterAll(() => installed.remove())

  function start(program: string, args: readonly string[]): Running {
    const running = new Running(program, args, installed.folder)
    onTestFinished(() => running.kill())
    return running
  }

  /** Runs a file of the user's own. */
  async function runFile(name: string, text: string): Promise<string> {
    await writeFile(join(installed.folder, name), text)
    return (await run('node', [name], installed.folder)).trim()
  }

  it('holds what running it needs, and nothing else', () => {
    const { files, packedBytes } = installed
    const [code, rest] = [/^dist\/[\w-]+\.js$/, /^dist\/types\/src\/[\w/-]+\.d\.ts$/]
    expect(files.filter((file) => !code.test(file) && !rest.test(file)).toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'bin/svtrain-emulator.js',
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/dashboard/assets/dashboard.css',
      'dist/dashboard/assets/icon.svg',
      'dist/dashboard/assets/main.js',
      'dist/dashboard/index.html',
      'dist/scenario.schema.json',
      'package.json',
      ...files.filter((file) => /^scenarios\/[\w-]+\.yaml$/.test(file)),
    ])
    expect(files).toEqual(expect.arrayContaining(['dist/cli.js', 'dist/index.js', 'dist/msw.js']))
    // Nearly half of it is the tokenizer's table, which only chats load.
    expect(packedBytes).toBeLessThan(1_000_000)
  })

  it('tells its version', async () => {
    const printed = await run('npx', ['svtrain-emulator', '--version'], installed.folder)
    expect(printed.trim()).toBe(manifest.version)
  })

  it('serves a job to its failure, and ends well when interrupted', async () => {
    const options = '--scenario failing-job --port 0 --inference-port 0 --log json'
    const emulator = start('npx', ['svtrain-emulator', ...options.split(' ')])
    const [ready] = await emulator.says(/^\{"kind":"ready".*\}$/m)
    const { trainingUrl, apiKey, pid } = JSON.parse(ready) as Ready
    const client = new Client({ baseUrl: trainingUrl, apiKey })

    const events = await client.eventsUntilOver(await client.createJob())

    expect(events.map(({ type }) => type)).toEqual([
      'training_started',
      ...Array.from({ length: 3 }, () => 'gradient_step'),
      'training_failed',
    ])
    expect(events.at(-1)!.data).toEqual({ error_message: expect.stringContaining('out of memory') })
    // The emulator's own process, rather than npx, which answers for it with a status of its own.
    process.kill(pid, 'SIGINT')
    expect(await emulator.ended()).toBe(0)
  })

  it("serves what the README's first commands start", async () => {
    const emulator = start('bash', ['-euc', await readmeCommands(root)])
    const [, baseUrl] = await emulator.says(/^ *export SVTRAIN_BASE_URL=(\S+)$[^]*^Ready\./m)
    const client = new Client({ baseUrl: baseUrl!, apiKey: 'any-key' })
    const events = await client.eventsUntilOver(await client.createJob())
    expect(events.at(-1)!.type).toBe('training_failed')
  })

  it('is imported', async () => {
    const program = `
      import { createEmulator } from 'svtrain-emulator'
      const emulator = createEmulator()
      const answer = await emulator.fetch(emulator.trainingUrl + '/preview/base-models')
      console.log(answer.status)`
    expect(await runFile('imports.mjs', program)).toBe('200')
  })

  it('is required', async () => {
    const program = `
      const { builtInScenarios } = require('svtrain-emulator')
      console.log(builtInScenarios.some(({ name }) => name === 'failing-job'))`
    expect(await runFile('requires.cjs', program)).toBe('true')
  })

  it.each([
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ])('has types that hold under module %s, resolved as %s', async (module, moduleResolution) => {
    const program = `
      import { createEmulator, defineScenario, type Listening, type ScenarioInput } from 'svtrain-emulator'
      const scenario: ScenarioInput = defineScenario({ name: 'mine', description: 'Mine.' })
      const emulator = createEmulator({ scenario, clock: 'manual', seed: 7 })
      export const listening: Promise<Listening> = emulator.listen({ port: 0 })
      export const at: number = emulator.clock.now()
      // @ts-expect-error What is not there must be known not to be there: any would hide it.
      emulator.nothing()`
    const options = { module, moduleResolution, target: 'es2022', strict: true, noEmit: true }
    await writeFile(join(installed.folder, 'consumer.mts'), program)
    await writeFile(
      join(installed.folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          ...options,
          types: ['node'],
          typeRoots: [join(root, 'node_modules/@types')],
          skipLibCheck: false,
        },
        files: ['consumer.mts'],
      }),
    )
    expect(await run(compiler, ['--project', '.'], installed.folder)).toBe('')
  })
})
