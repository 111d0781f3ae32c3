import { readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { CONSUMER, ONE_CHECKER, writeConsumer } from '../../.build/release/types.js'
import { train } from './client.js'
import { install, type Installed } from './installed.js'
import { isShipped } from '../support/pages.js'
import { run, start as startIn } from './shell.js'

const root = join(import.meta.dirname, '..', '..')
const compiler = join(root, 'node_modules', '.bin', 'tsc')
/** Runs inside its runner alone. */
const RUNNERS_OWN = 'svtrain-emulator/vitest'
const entries = Object.keys(manifest.exports).map((entry) => join(manifest.name, entry))
const documents = entries.filter((entry) => entry.endsWith('.json'))
const programs = entries.filter((entry) => !entry.endsWith('.json') && entry !== RUNNERS_OWN)
const resolutions: [module: string, moduleResolution: string][] = [
  ['node16', 'node16'],
  ['esnext', 'bundler'],
]

/** The time limit of an installation with a slow connection. */
const PATIENCE = 120_000

// `npm run release:check` looks at its files, and trains on the command until a job fails.
describe('the packed package, in a project that has installed it', { timeout: PATIENCE }, () => {
  let installed: Installed
  beforeAll(async () => {
    installed = await install()
  }, PATIENCE)
  afterAll(() => installed.remove())

  /** Runs a file of the user's own. */
  async function runFile(name: string, text: string): Promise<string> {
    await writeFile(join(installed.folder, name), text)
    return (await run('node', [name], installed.folder)).trim()
  }

  it('contains every page of the documentation, lists them, and prints one', async () => {
    const pages = installed.files.filter((file) => /^docs\/.*\.md$/.test(file))
    const sources = await readdir(join(root, 'docs'), { recursive: true })
    const written = sources.filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`)
    expect(new Set(pages)).toEqual(new Set(written.filter(isShipped)))
    expect(pages).not.toContain('docs/contributing.md')
    const topics = await run('npx', ['svtrain-emulator', 'docs'], installed.folder)
    expect(topics).toMatch(/^ {2}start\/server {2,}\S/m)
    const printed = await run('npx', ['svtrain-emulator', 'docs', 'testing'], installed.folder)
    expect(printed.trim()).toBe(
      (await readFile(join(root, 'docs', 'how-to', 'testing.md'), 'utf8')).trim(),
    )
  })

  it('serves what the first commands of the README start', async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8')
    const [, commands] = /^```(?:sh|bash)\n(npx svtrain-emulator --[^]*?)^```$/m.exec(readme)!
    const emulator = startIn('bash', ['-euc', commands!], installed.folder)
    const [, baseUrl] = await emulator.says(/^ *export SVTRAIN_BASE_URL=(\S+)$[^]*^Ready\./m)
    const events = await train(baseUrl!)
    expect(events.at(-1)!.type).toBe('training_failed')
  })

  describe('has entries that', () => {
    beforeAll(async () => {
      // Their users have these; they come with nothing of ours.
      for (const peer of Object.keys(manifest.peerDependencies)) {
        const own = join(root, 'node_modules', peer)
        await symlink(own, join(installed.folder, 'node_modules', peer), 'junction')
      }
    })

    it.each(programs)('are imported: %s', async (entry) => {
      const program = `console.log(Object.keys(await import('${entry}')).length > 0)`
      expect(await runFile('imports.mjs', program)).toBe('true')
    })

    it.each(programs)('keep the names of their errors, which tests show: %s', async (entry) => {
      const program = `
        const isError = (value) => value?.prototype instanceof Error
        const errors = Object.entries(await import('${entry}')).filter(([, value]) => isError(value))
        console.log(errors.flatMap(([name, value]) => (value.name === name ? [] : name)).join())`
      expect(await runFile('names.mjs', program)).toBe('')
    })

    it.each(programs)('are required: %s', async (entry) => {
      const program = `console.log(Object.keys(require('${entry}')).length > 0)`
      expect(await runFile('requires.cjs', program)).toBe('true')
    })

    it.each(documents)('are read: %s', async (entry) => {
      const program = `
        import document from '${entry}' with { type: 'json' }
        import { createRequire } from 'node:module'
        const required = createRequire(import.meta.url)('${entry}')
        console.log(JSON.stringify(required) === JSON.stringify(document))`
      expect(await runFile('reads.mjs', program)).toBe('true')
    })

    it('are used in tests: svtrain-emulator/vitest', async () => {
      const program = `
        import { expect } from 'vitest'
        import { test } from 'svtrain-emulator/vitest'
        test('answers', async ({ emulator }) => {
          const answer = await fetch(emulator.trainingUrl + '/preview/base-models')
          expect(await answer.json()).toContain('example/base-8b-instruct')
        })`
      await writeFile(join(installed.folder, 'user.test.mjs'), program)
      const vitest = join(root, 'node_modules', '.bin', 'vitest')
      expect(await run(vitest, ['run', 'user.test.mjs'], installed.folder)).toMatch(/1 passed/)
    })

    it.each(resolutions)('have types under module %s, resolved as %s', async (...resolution) => {
      const lines = [...programs, RUNNERS_OWN].flatMap((entry, index) => [
        `import * as entry${index} from '${entry}'`,
        '// @ts-expect-error A missing property must be a type error: `any` would hide it.',
        `entry${index}.nothing()`,
      ])
      // The peers' own types are theirs to check.
      expect(await compile(lines.join('\n'), resolution, { skipLibCheck: true })).toBe('')
    })
  })

  // `npm run release:check` compiles the same program as `node16`, with the same compiler.
  it('has correct types under module esnext, resolved as bundler', async () => {
    expect(await compile(CONSUMER, ['esnext', 'bundler'], { skipLibCheck: false })).toBe('')
  })

  /** The output of the compiler for a file of the user. */
  async function compile(
    program: string,
    [module, moduleResolution]: readonly [string, string],
    options: { skipLibCheck: boolean },
  ): Promise<string> {
    await writeConsumer(installed.folder, { program, module, moduleResolution, ...options })
    return run(compiler, ['--project', '.', ...ONE_CHECKER], installed.folder)
  }
})
