import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { assertBuilt, clientAt, type Command, start } from './command.js'

beforeAll(assertBuilt)

/** Opens a connection, sends `request`, and waits until the answer begins. */
async function converse(url: string, request: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  socket.write(request)
  await new Promise((resolve) => socket.once('data', resolve))
  return socket
}

const idle = 'GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n'
const halfWay =
  'POST /v1/preview/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n' +
  'Expect: 100-continue\r\n\r\n{"na'

describe('the command', { timeout: 30_000 }, () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('exits with 0 at %s', async (signal) => {
    const command = start([])
    await command.ready()
    command.process.kill(signal)
    expect(await command.ended()).toBe(0)
    expect(command.stderr).toBe('')
  })

  it('exits with 0 in spite of an idle connection', async () => {
    const command = start([])
    const { training } = await command.ready()
    await converse(training, idle)
    command.process.kill('SIGINT')
    expect(await command.ended()).toBe(0)
  })

  it.skipIf(process.platform === 'win32')('ends at once while it reads a world', async () => {
    const pipe = join(temporaryFolder(), 'world.json')
    execFileSync('mkfifo', [pipe])
    const command = start(['--import', pipe])
    // It is open once the command reads. Then the command waits for its content.
    const writer = await open(pipe, 'w')
    onTestFinished(() => writer.close())
    command.process.kill('SIGTERM')
    expect(await command.ended()).toBe(null)
    expect(command.process.signalCode).toBe('SIGTERM')
  })

  describe('while it starts', () => {
    /** Starts it, and runs the lines in its process before it opens its first port. Returns how it ended. */
    async function endedAfter(
      lines: string,
      args: readonly string[] = [],
    ): Promise<{ code: number | null; isLocked: boolean; command: Command }> {
      const folder = temporaryFolder()
      const script = join(folder, 'first.cjs')
      writeFileSync(
        script,
        `const { Server } = require('node:net')
        const { listen } = Server.prototype
        Server.prototype.listen = function (...args) {
          Server.prototype.listen = listen
          const goOn = () => this.listen(...args)
          ${lines}
          return this
        }`,
      )
      const env = { NODE_OPTIONS: `--require=${JSON.stringify(script)}` }
      const command = start(['--data=world', ...args], { cwd: folder, env })
      const code = await command.ended()
      expect(existsSync(join(folder, 'world'))).toBe(true)
      return { code, isLocked: existsSync(join(folder, 'world', 'lock')), command }
    }

    it.skipIf(process.platform === 'win32').each(['SIGINT', 'SIGTERM'])(
      'stops at %s what is open',
      async (signal) => {
        const { code, isLocked, command } = await endedAfter(
          `const alive = setInterval(() => {}, 1000)
          process.once('${signal}', () => setImmediate(() => { clearInterval(alive); goOn() }))
          process.kill(process.pid, '${signal}')`,
        )
        expect({ code, isLocked, stderr: command.stderr }).toEqual({
          code: 0,
          isLocked: false,
          stderr: '',
        })
        expect(command.lines.at(-1)).toMatch(/: 0 requests/)
      },
    )

    it('stops what is open if the ready file cannot be written', async () => {
      const folder = join(temporaryFolder(), 'gone')
      mkdirSync(folder)
      const { code, isLocked, command } = await endedAfter(
        `require('node:fs').rmdirSync(${JSON.stringify(folder)})
        goOn()`,
        ['--ready-file', join(folder, 'ready.json')],
      )
      expect({ code, isLocked }).toEqual({ code: 1, isLocked: false })
      expect(command.stderr).toContain('ENOENT')
    })
  })

  it('exits with 0 at a second and a third Ctrl-C', async () => {
    const command = start([])
    const { training } = await command.ready()
    // Keeps it from ending at once.
    await converse(training, halfWay)
    command.process.kill('SIGINT')
    command.process.kill('SIGINT')
    command.process.kill('SIGTERM')
    expect(await command.ended()).toBe(0)
    expect(command.stderr).toBe('')
  })

  it('counts the jobs that have not started', async () => {
    const command = start(['--clock', 'manual'])
    const { training } = await command.ready()
    for (const _each of [1, 2]) {
      await fetch(new URL('/_emulator/jobs', training), { method: 'POST', body: '{}' })
    }
    command.process.kill('SIGINT')
    expect(await command.ended()).toBe(0)
    expect(command.lines.at(-1)).toMatch(/: 0 requests, 2 jobs \(2 queued\)\.$/)
  })

  it('continues if its output is closed', async () => {
    const command = start(['--log', 'json'])
    await command.says(/"kind":"ready".*\n/)
    const { trainingUrl } = JSON.parse(command.lines[0]!) as { trainingUrl: string }
    command.process.stdout!.destroy()
    for (let call = 0; call < 5; call++) {
      const { status } = await clientAt(trainingUrl).get('/health')
      expect(status).toBe(200)
    }
    command.process.kill('SIGINT')
    expect(await command.ended()).toBe(0)
    expect(command.stderr).toBe('')
  })
})
