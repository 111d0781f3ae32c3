import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { commandTool } from '../../src/cli/tools/mcp/command-tool.js'
import * as docs from '../../src/emulator/adapters/docs-pages.js'
import { callOf } from '../../src/emulator/control/client/http-call.js'
import { createEmulator } from '../../src/index.js'
import { createServer } from '../../src/tools/mcp/server.js'
import { tools } from '../../src/tools/mcp/tools.js'
import { connectOverHttp, connectToCommand } from '../tools/mcp/sessions.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'
import { assertBuilt, Command } from './command.js'
import { refused } from './commands.js'

beforeAll(assertBuilt)

const hello = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1.0.0' },
    },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
]

function say(command: Command, ...messages: readonly object[]): void {
  for (const each of messages) command.process.stdin!.write(`${JSON.stringify(each)}\n`)
}

function call(id: number, name: string, args: object): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('svtrain-emulator mcp', () => {
  it('writes only messages to stdout, and ends when stdin ends', async () => {
    const command = new Command(['mcp', '--log', 'pretty'])
    say(command, ...hello, call(2, 'create_job', { model: 'poet' }))
    await command.says(/"id":2/)
    command.process.stdin!.end()
    expect(await command.ended()).toBe(0)
    for (const line of command.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
    expect(command.lines.length).toBe(2)
    expect(command.stderr).toMatch(/^MCP server on stdin and stdout, for the emulator at http:/m)
    expect(command.stderr).toContain('poet')
  })

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends at %s, with the command it runs',
    async (signal) => {
      const command = new Command(['mcp'])
      const sleeper = 'console.error(process.pid); setInterval(() => {}, 1000)'
      const folder = temporaryFolder()
      const file = join(folder, 'pid')
      const program = `require('fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); ${sleeper}`
      say(command, ...hello, call(2, 'run_command', { command: ['node', '-e', program] }))
      let pid = 0
      await until('the command runs', async () => {
        pid = Number(await readFile(file, 'utf8').catch(() => '0'))
        return pid > 0
      })
      command.signal(signal)
      expect(await command.ended()).toBe(0)
      await until('the command is gone', () => !isThere(pid))
    },
  )

  it('answers an odd line with an error, and then the next call', async () => {
    const command = new Command(['mcp'])
    say(command, ...hello)
    await command.says(/"id":1/)
    command.process.stdin!.write('garbage\n')
    say(command, { jsonrpc: '2.0', id: 2, method: 'tools/list' })
    await command.says(/"id":2[,}]/)
    command.process.stdin!.end()
    expect(await command.ended()).toBe(0)
    expect(command.lines.map((each) => JSON.parse(each) as unknown)).toMatchObject([
      { id: 1 },
      { id: null, error: {} },
      { id: 2, result: {} },
    ])
  })

  it('ends when stdin ends in the middle of a line', async () => {
    const command = new Command(['mcp'])
    say(command, ...hello)
    await command.says(/"id":1/)
    command.process.stdin!.end('{"jsonrpc":"2.0","id":2,"method":')
    expect(await command.ended()).toBe(0)
    expect(command.stderr).toMatch(/^MCP server .*\n$/)
  })

  it('takes the options of the start', async () => {
    const { text } = await connectToCommand(['--scenario', 'failing-job', '--seed', '9'])
    const status = await text('get_status')
    expect(status).toContain('scenario: failing-job')
    expect(status).toContain('seed: 9')
    expect(status).toContain('clock: instant')
  })

  it('acts on a running emulator with --emulator, with its token from the environment', async () => {
    await using emulator = createEmulator({ clock: 'manual', scenario: 'failing-job' })
    const { port } = await emulator.listen({ controlToken: 'opensesame' })
    const url = `http://127.0.0.1:${port}`
    // The second one is for an emulator that starts.
    const env = { SVTRAIN_CONTROL_TOKEN: 'opensesame', SVTRAIN_EMULATOR_CONTROL_TOKEN: 'other' }
    const { text } = await connectToCommand(['--emulator', url], { env })
    await text('create_job', { model: 'poet' })
    expect(emulator.job().model.name).toBe('poet')
    const names = ['SVTRAIN_BASE_URL', 'SVTRAIN_CONTROL_TOKEN']
    const printed = names.map((name) => `process.env.${name}`).join()
    const command = ['node', '-e', `console.log(${printed})`]
    const ran = await text('run_command', { command })
    expect(ran).toContain(`${url}/v1 [not shown]`)
    expect(ran).not.toContain('opensesame')
    const other = await connectToCommand(['--emulator', url])
    expect((await other.tool('create_job')).text).toContain('needs the control token')
  })

  it('says why it cannot start', async () => {
    const command = new Command(['mcp', '--emulator', 'http://127.0.0.1:1'])
    expect(await command.ended()).toBe(1)
    expect(command.stderr).toMatch(/^Failed to reach an emulator .+ svtrain-emulator\n$/)
    expect(command.stdout).toBe('')
  })

  it.each([
    ['--emulator http://127.0.0.1:1 --scenario failing-job', '--scenario cannot be used'],
    ['--world ann', '--world needs --emulator'],
    ['--scenario faling-job', 'Did you mean "failing-job"?'],
    ['--scenaro failing-job', 'Did you mean --scenario?'],
    ['failing-job', 'Unexpected argument "failing-job"'],
  ])('refuses %s', async (args, reason) => {
    expect((await refused(`mcp ${args}`)).message).toContain(reason)
  })

  it.each(['7', '8'])(
    'refuses an option of the start also if the environment sets it, to %s',
    async (set) => {
      vi.stubEnv('SVTRAIN_EMULATOR_SEED', set)
      onTestFinished(() => void vi.unstubAllEnvs())
      const { message } = await refused('mcp --emulator http://127.0.0.1:1 --seed 7')
      expect(message).toContain('--seed cannot be used')
    },
  )
})

/** Connects to the tools of the command in this process: their results do not depend on the process around them. */
async function toolsHere({ secrets = [] as string[] } = {}) {
  const emulator = createEmulator({ clock: 'instant' })
  onTestFinished(() => emulator.close())
  const runs = commandTool({
    environment: process.env,
    secrets,
    stopping: new AbortController().signal,
  })
  const control = callOf({ url: emulator.trainingUrl, fetch: emulator.fetch, token: undefined })
  const handler = createMcpHandler(() => {
    return createServer([...tools, runs], { call: control, docs })
  })
  onTestFinished(() => handler.close())
  const send: typeof fetch = (url, init) => handler.fetch(new Request(url, init))
  return { emulator, ...(await connectOverHttp(emulator, { fetch: send })) }
}

describe('run_command', () => {
  it('runs a command with the environment of the emulator, and shows what happened', async () => {
    const { text } = await connectToCommand([])
    const program = `
      const url = process.env.SVTRAIN_BASE_URL + '/preview/base-models'
      const headers = { authorization: 'Bearer ' + process.env.SVTRAIN_API_KEY }
      fetch(url, { headers }).then((answer) => { console.log(answer.status); process.exitCode = 3 })`
    const ran = await text('run_command', { command: ['node', '-e', program] })
    expect(ran).toMatch(/^Exit code 3 after .*\.\nstdout:\n200\nIn the emulator:\n/)
    expect(ran).toMatch(/GET \/v1\/preview\/base-models 200/)
    const failing = program.replace('/preview/base-models', '/lost')
    expect(await text('run_command', { command: ['node', '-e', failing] })).toMatch(
      /^Exit code 3 after .*\.\nWhat failed in the emulator:\n.* GET \/v1\/lost 404; .*\nstdout:\n404\n1 thing is pending:\n.* matched no operation.*\nIn the emulator:\n/,
    )
  })

  it('lets the shell read a text', async () => {
    const { text } = await toolsHere()
    const command = 'echo one && echo two && exit 4'
    expect(await text('run_command', { command })).toMatch(
      /^Exit code 4 after .*\.\nstdout:\none\ntwo/,
    )
  })

  it('stops a command that hangs', async () => {
    const { text } = await toolsHere()
    const program =
      'process.on("SIGTERM", () => {}); console.log("here"); setInterval(() => {}, 1000)'
    const ran = await text('run_command', { command: ['node', '-e', program], timeout: '1s' })
    expect(ran).toMatch(
      /^It was stopped after the timeout of 1s \(exit code 124\)\.\nstdout:\nhere/,
    )
  })

  it('shows the end of a long output', async () => {
    const { text } = await toolsHere()
    const program = 'for (let i = 0; i < 1e5; i++) console.log("line " + i); console.error("oops")'
    const ran = await text('run_command', { command: ['node', '-e', program] })
    expect(ran.length).toBeLessThan(4000)
    expect(ran).toMatch(/line 99999\nstderr:\noops/)
    const halves = 'console.log("😀".repeat(2000) + "x")'
    const cut = await text('run_command', { command: ['node', '-e', halves] })
    expect(cut).toMatch(/stdout:\n… 😀{649}x\n/u)
  })

  it('hides a secret before it cuts the output', async () => {
    const secret = 'opensesame-opensesame-opensesame'
    const { text } = await toolsHere({ secrets: [secret] })
    const program = `console.log('${secret}' + 'x'.repeat(1290))`
    const ran = await text('run_command', { command: ['node', '-e', program] })
    expect(ran).toContain('xxx')
    expect(ran).not.toContain('sesame')
  })

  it('shows what happened after a command reset the world', async () => {
    const { emulator, text } = await toolsHere()
    await emulator.listen()
    const models = `${emulator.trainingUrl}/preview/base-models`
    for (let made = 0; made < 5; made++) await emulator.fetch(models)
    const reset = new URL('/_emulator/reset', models)
    const program = `fetch('${reset}', { method: 'POST' }).then(() => fetch('${models}'))`
    const ran = await text('run_command', { command: ['node', '-e', program] })
    expect(ran).toMatch(/In the emulator:\n.* GET \/v1\/preview\/base-models 200/)
  })

  it('says what is pending after the command, such as a fault that nothing met', async () => {
    const { text } = await toolsHere()
    await text('add_fault', {
      fault: { name: 'third-poll', fault: 'status', status: 503, calls: 3 },
    })
    expect(await text('run_command', { command: ['node', '-e', ''] })).toMatch(
      /\n1 thing is pending:\nfault {2}third-poll \(status\) {2}never hit: no call matched\nIn the emulator:/,
    )
  })

  it('says why a command cannot run', async () => {
    const { tool } = await toolsHere()
    const wrong: [args: Record<string, unknown>, reason: string][] = [
      [{ command: ['no-such-program-here'] }, 'there is no such command'],
      [{ command: [] }, 'pass a program'],
      [{ command: ' ' }, 'pass a program'],
      [{ command: 5 }, 'command.str: Input should be a valid string.'],
      [{ command: ['node'], timeout: '2h' }, '"2h" is not a duration of at most 10m'],
      [{ command: ['node'], timeot: '2s' }, 'Did you mean "timeout"?'],
    ]
    for (const [args, reason] of wrong) {
      const { text, isError } = await tool('run_command', args)
      expect([isError, text]).toEqual([true, expect.stringContaining(reason)])
    }
  })
})
