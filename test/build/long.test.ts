import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { env } from 'node:process'
import { expect, it } from 'vitest'
import { root } from '../support/pages.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** `.ci/long` in a small repository. In place of npm and Python, programs write what the steps write. */

const NPM = `#!/bin/sh
if [ "$2" = interop:matrix ]; then
  echo 'a new table' | tee -a docs/how-to/clients.md test/interop/matrix/sdk-result.json
fi
`

function repository() {
  const folder = temporaryFolder()
  const programs = temporaryFolder()
  for (const each of ['.ci', 'docs/how-to', 'src', 'test/interop/matrix']) {
    mkdirSync(join(folder, each), { recursive: true })
  }
  copyFileSync(join(root, '.ci', 'long'), join(folder, '.ci', 'long'))
  for (const file of [
    'docs/how-to/clients.md',
    'test/interop/matrix/sdk-result.json',
    'src/a.ts',
  ]) {
    writeFileSync(join(folder, file), 'before\n')
  }
  writeFileSync(join(programs, 'npm'), NPM, { mode: 0o755 })
  writeFileSync(join(programs, 'python3'), '#!/bin/sh\n', { mode: 0o755 })
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
  const git = (...args: string[]): string => {
    return execFileSync('git', [...author, ...args], { cwd: folder, encoding: 'utf8' })
  }
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--message=a')
  const long = (...args: string[]) => {
    const PATH = `${programs}:${env['PATH']}`
    const options = { env: { ...env, PATH }, encoding: 'utf8' } as const
    const { status, stdout } = spawnSync('bash', [join(folder, '.ci', 'long'), ...args], options)
    const rows = stdout
      .split(/^step .*\n/m)[1]!
      .trim()
      .split('\n')
    return { status, rows: rows.map((row) => row.trim().split(/\s+/)) }
  }
  return { long, commit: git('rev-parse', '--short=12', 'HEAD').trim(), folder }
}

it('one run passes all steps, although a step writes a page', () => {
  const { long, commit } = repository()
  const { status, rows } = long()
  expect(rows.map(([, outcome]) => outcome)).toEqual(rows.map(() => 'passed'))
  expect(rows.map(([, , of]) => of)).toEqual(rows.map(() => commit))
  expect(rows.length).toBeGreaterThan(5)
  expect(status).toBe(0)
})

it('a change makes results old, and a run with it says that it is not committed', () => {
  const { long, commit, folder } = repository()
  long('kills')
  appendFileSync(join(folder, 'src', 'a.ts'), 'after\n')
  expect(long('--report').rows[2]!.slice(0, 3)).toEqual(['kills', 'old', commit])
  expect(long('kills').rows[2]!.slice(0, 3)).toEqual(['kills', 'passed', `${commit}+changes`])
})

it('a change of the documentation, or of the tests of another step, makes no result old', () => {
  const { long, folder } = repository()
  long('kills')
  appendFileSync(join(folder, 'docs', 'how-to', 'clients.md'), 'after\n')
  mkdirSync(join(folder, 'test/bench'))
  writeFileSync(join(folder, 'test/bench/new.ts'), 'export {}\n')
  expect(long('--report').rows[2]!.slice(0, 2)).toEqual(['kills', 'passed'])
  mkdirSync(join(folder, 'test/soak'))
  writeFileSync(join(folder, 'test/soak/new.ts'), 'export {}\n')
  expect(long('--report').rows[2]!.slice(0, 2)).toEqual(['kills', 'old'])
})
