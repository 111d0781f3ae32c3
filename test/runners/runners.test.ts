import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const modules = join(root, 'node_modules')
let projects: string

/** Projects of a user who has installed the built package, and a runner. */
beforeAll(async () => {
  projects = await mkdtemp(join(tmpdir(), 'svtrain-runners-'))
  for (const runner of ['node', 'jest', 'vitest']) {
    const tests = join(import.meta.dirname, 'projects', `${runner}.js`)
    await cp(tests, join(projects, runner, 'job.test.js'))
  }
  await mkdir(join(projects, 'node_modules', '@jest'), { recursive: true })
  await symlink(root, join(projects, 'node_modules', 'svtrain-emulator'))
  for (const name of ['vitest', '@jest/globals']) {
    await symlink(join(modules, name), join(projects, 'node_modules', name))
  }
  await writeFile(join(projects, 'package.json'), '{ "type": "module" }')
})

afterAll(() => rm(projects, { recursive: true, force: true }))

/** Runs a project's tests; some of them are there to fail. Resolves with all that was printed. */
function run(project: string, command: string[], flags = ''): Promise<string> {
  // What the runner that runs this test says to its own children is not for others.
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, NODE_OPTIONS: flags, NO_COLOR: '1' }
  return new Promise((resolve) => {
    execFile(process.execPath, command, { cwd: join(projects, project), env }, (_error, out, err) =>
      resolve(`${out}\n${err}`),
    )
  })
}

describe('the built package', { timeout: 60_000 }, () => {
  it('verifies under node:test', async () => {
    const printed = await run('node', ['--test', '--test-reporter=tap'])
    expect(printed).toMatch(/^ok \d+ - a job that fails$/m)
    expect(printed).toMatch(/^ok \d+ - a request$/m)
    expect(printed).toMatch(/^not ok \d+ - fails, and says why$/m)
    expect(printed).toContain('to have ended, but it failed with "CUDA out of memory')
    expect(printed).toContain('+1.00s  started, ')
  })

  it('verifies under Jest', async () => {
    const config = JSON.stringify({ transform: {}, testEnvironment: 'node' })
    const jest = join(modules, 'jest', 'bin', 'jest.js')
    const printed = await run('jest', [jest, '--config', config], '--experimental-vm-modules')
    expect(printed).toMatch(/✓ a job that fails/)
    expect(printed).toMatch(/✓ a request/)
    expect(printed).toMatch(/✕ fails, and says why/)
    expect(printed).toContain('to have ended, but it failed with "CUDA out of memory')
  })

  it('is a fixture of Vitest, which says what happened where a test fails', async () => {
    const vitest = join(modules, 'vitest', 'vitest.mjs')
    const printed = await run('vitest', [vitest, 'run', '--reporter=verbose'])
    expect(printed).toMatch(/✓ job.test.js > a job that fails/)
    expect(printed).toMatch(/× job.test.js > fails, and says why/)
    expect(printed).toMatch(
      /expected \+?0 to be 1.*\n\nWhat happened \(scenario "failing-job", seed 7, clock auto\):\n {2}\+0.00s {2}poet \w{8} started/,
    )
    expect(printed).toMatch(/× job.test.js > fails for its conduct/)
    expect(printed).toMatch(/asks for news of job .*\(pollsPastTheEnd: false allows it\)/)
  })
})
