import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { runsInClone } from '../docs/contributor-commands.js'
import { createClone, type Clone } from './clone.js'
import type { RunningProcess } from '../support/running-process.js'
import { run, start as startIn } from './shell.js'
import { jsonHeaders } from '../support/api-client.js'

/** The time limit of some builds on a busy machine, one after the other. */
const PATIENCE = 300_000

const BIN = join('bin', 'svtrain-emulator.js')
const BUILD = ['--import', 'tsx', join('.build', 'build.ts')]
const HASHED_TOKENIZER = /^dist\/built-in-tokens-\w+\.js$/

describe('in a clone of the repository', { timeout: PATIENCE }, () => {
  let clone: Clone
  beforeAll(async () => {
    clone = await createClone()
  }, PATIENCE)
  afterAll(() => clone.remove())

  function start(program: string, args: readonly string[]): RunningProcess {
    return startIn(program, args, clone.folder)
  }

  const version = async (): Promise<string> =>
    (await run('node', [BIN, '--version'], clone.folder)).trim()

  it('npx starts the program at once, and changes no file', async () => {
    // npm installs the clone as a link first. A script that ran meanwhile would delay the answer, and a
    // Ctrl-C during that time would leave a folder in npm's cache that breaks every later npx.
    const npx = `npx --loglevel info --cache '${clone.emptyCache}' svtrain-emulator --version 2>&1`
    const told = (await run('bash', ['-c', npx], clone.folder)).split('\n')
    expect(told).toContain(manifest.version)
    expect(told.filter((line) => line.startsWith('npm info run '))).toEqual([])
    expect(await clone.git('status', '--porcelain')).toBe('')
  })

  it.each(Object.values(runsInClone))('a contributor runs %s', async (command) => {
    await run('bash', ['-euc', command], clone.folder)
    // Golden files are as they were.
    expect(await clone.git('status', '--porcelain')).toBe('')
  })

  it('a running emulator continues with the code of its start: builds that a signal stops change nothing, and two concurrent ones succeed', async () => {
    const options = '--port 0 --inference-port 0 --log json'
    const emulator = start('node', [BIN, ...options.split(' ')])
    const [ready] = await emulator.says(/^\{"kind":"ready".*\}$/m)
    const { inferenceUrl } = JSON.parse(ready) as { inferenceUrl: string }
    const before = await clone.stamp()
    const tokenizer = Object.keys(before.outputs).find((path) => HASHED_TOKENIZER.test(path))!

    await clone.changeTokenizer()
    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      const build = start('node', BUILD)
      await build.says(/^Building dist\//m)
      build.signal(signal)
      await build.ended()
      const left = { signal, stamp: await clone.stamp(), version: await version() }
      expect(left).toEqual({ signal, stamp: before, version: manifest.version })
    }

    // The next builds are complete and remove what those left, also if two run at the same time.
    const builds = [start('node', BUILD), start('node', BUILD)]
    expect(await Promise.all(builds.map((build) => build.ended()))).toEqual([0, 0])
    const { outputs, retired } = await clone.stamp()
    expect(Object.keys(outputs)).not.toContain(tokenizer)
    expect(Object.keys(retired)).toContain(tokenizer)
    const abandoned = (await readdir(clone.folder)).filter((name) => name.startsWith('dist.'))
    expect(abandoned).toEqual([])
    const third = start('node', BUILD)
    await third.says(/^dist\/ is up to date\.$/m)
    expect(await third.ended()).toBe(0)
    expect(await version()).toBe(manifest.version)

    const answer = await fetch(`${inferenceUrl}/chat/completions`, {
      method: 'POST',
      headers: jsonHeaders(),
      body: JSON.stringify({
        model: 'example/base-8b-instruct',
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    })
    expect(answer.status).toBe(200)

    // A package holds the code of one build.
    await run('npm', ['run', 'prepack'], clone.folder)
    expect((await clone.stamp()).retired).toEqual({})
    expect(await readdir(join(clone.folder, 'dist'))).not.toContain(tokenizer.replace('dist/', ''))
  })

  it('the command and a test file run from the source, without what a build writes', async () => {
    const before = await clone.git('status', '--porcelain')
    await clone.git('clean', '-dxq', '--force', '--exclude=node_modules')
    await run('npx', ['vitest', 'run', 'test/service/api/openapi.test.ts'], clone.folder)

    await clone.git('clean', '-dxq', '--force', '--exclude=node_modules')
    const program = 'console.log(process.env.SVTRAIN_BASE_URL)'
    const exec = ['.build/from-source.ts', 'exec', '--', 'node', '--eval', program]
    expect(await run('npx', ['tsx', ...exec], clone.folder)).toMatch(/^http:.*\/v1\n$/)
    expect(await clone.git('status', '--porcelain')).toBe(before)
  })
})
