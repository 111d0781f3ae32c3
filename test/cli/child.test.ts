import { execPath, platform } from 'node:process'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { captureChild, runChild } from '../../src/cli/child.js'
import type { ChildEnd, CopySource } from '../../src/cli/child-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

/** A program that starts a server, which writes its port into a file. Then it exits with code 7. */
function startsServer(file: string, option: string): string {
  const server = `
    const { writeFileSync } = require('node:fs')
    const server = require('node:http').createServer((_, to) => to.end('here'))
    server.listen(0, () => writeFileSync(${JSON.stringify(file)}, String(server.address().port)))`
  return `
    const { spawn } = require('node:child_process')
    const { existsSync } = require('node:fs')
    spawn(process.execPath, ['--eval', ${JSON.stringify(server)}], { stdio: 'ignore', ${option} }).unref()
    const look = () => existsSync(${JSON.stringify(file)}) ? process.exit(7) : setImmediate(look)
    look()`
}

it.runIf(platform !== 'win32')(
  'processes that a command starts in its group end with it',
  async () => {
    const file = join(temporaryFolder(), 'port')
    // Without the environment of the command, which would mark it on Linux.
    const command = startsServer(file, 'env: {}')
    const options = { env: process.env, interactive: false }
    expect(await runChild([execPath, '--eval', command], options)).toEqual({ code: 7 })
    const port = readFileSync(file, 'utf8')
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed')
  },
)

it('a command that is killed ends at once, with what it has printed', async () => {
  const file = join(temporaryFolder(), 'ready')
  const command = `
    console.log('It begins.')
    require('node:fs').writeFileSync(${JSON.stringify(file)}, '')
    setInterval(() => {}, 1000)`
  const [stopping, killing] = [new AbortController(), new AbortController()]
  onTestFinished(() => stopping.abort())
  const running = captureChild([execPath, '--eval', command], {
    env: process.env,
    signal: stopping.signal,
    kill: killing.signal,
  })
  await until('the command has printed', () => existsSync(file))
  killing.abort()
  expect((await running).stdout).toBe('It begins.\n')
})

it.runIf(platform !== 'win32')(
  'a copy is killed that makes a call before it is known',
  async () => {
    const [stopping, killing] = [new AbortController(), new AbortController()]
    onTestFinished(() => stopping.abort())
    const template: CopySource = {
      copy() {
        const copy = spawn(execPath, ['--eval', 'setInterval(() => {}, 1000)'], {
          stdio: 'ignore',
          detached: true,
        })
        const ended = new Promise<ChildEnd>((resolve) => {
          copy.once('exit', (code, signal) => resolve({ code: signal === 'SIGKILL' ? 137 : code! }))
        })
        killing.abort()
        return Promise.resolve({ pid: copy.pid!, ended })
      },
    }
    const { env } = process
    const signals = { signal: stopping.signal, kill: killing.signal }
    expect(await captureChild(['copy'], { env, template, ...signals })).toMatchObject({ code: 137 })
  },
)

// Elsewhere nobody can tell whose it is.
it.runIf(platform === 'linux').each([
  ['in a terminal', true],
  ['in no terminal', false],
])('background processes of a command end with it, %s', async (_where, interactive) => {
  const file = join(temporaryFolder(), 'port')
  // A separate process group, as shells with job control create for background jobs.
  const command = startsServer(file, 'detached: true')
  const { code } = await runChild([execPath, '--eval', command], { env: process.env, interactive })
  expect(code).toBe(7)
  const port = readFileSync(file, 'utf8')
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed')
})
