import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'
import { assertBuilt } from './command.js'
import { refused, workIn } from './commands.js'
import { blindRetry, client, explore, startExplore } from './explored-program.js'
import { endedInProcess } from './in-process.js'

beforeAll(assertBuilt)

describe('explore', { timeout: 120_000 }, () => {
  it('passes a command that does nothing wrong, and writes nothing', async () => {
    const command = startExplore(`${client} await retry(() => ask(5000))`, [
      '--only=happy-path,rate-limited,faults',
      '--runs=4',
    ])
    const code = await command.ended()
    expect(command.stderr).toBe('')
    expect(command.stdout).toMatch(/^Passed \(\d+\): happy-path, /m)
    expect(command.stdout).toMatch(/^\d runs in \S+ with seed 1: \d passed\.$/m)
    expect(code).toBe(0)
    expect(readdirSync(command.folder)).toEqual(['loop.mjs'])
  })

  it.each([
    ["call('base-models')", [], 2, /^The command created no job and asked no chat, so its runs/m],
    ['ask(5000)', ['--crash'], 3, /^No kill was tried: there is no room for one in 2 runs\. /m],
    ['ask(5000)', ['--crash', '--json'], 3, /^No kill was tried: /m],
  ])('takes runs that show nothing for no success: %s %j', async (call, options, exit, says) => {
    const program = `${client} await retry(() => ${call})`
    const { code, stdout, stderr } = await explore(program, [...options, '--runs=2'])
    expect(stderr + stdout).toMatch(says)
    expect(code).toBe(exit)
  })

  it('finds a chat without a timeout', async () => {
    // The smallest scenario, because each smaller one that hangs takes seconds.
    const scenario = fileWith('name: no-answer\nfaults: [{ fault: hang, calls: 1 }]\n')
    const options = [`--scenario=${scenario}`, '--only=no-answer', '--timeout=3s', '--to=found']
    const program = `${client} await retry(() => ask(3600_000))`
    const { code, stdout, folder } = await explore(program, options)
    expect(code).toBe(1)
    expect(stdout).toMatch(/^ {3}2 {2}no-answer +hung +3\.\d+s {2}1: /m)
    expect(stdout).toContain('exec --scenario found/1-')
    expect(stdout).toContain(' --checks --timeout 3s -- ')
    const [log] = readdirSync(join(folder, 'found'))
    expect(readFileSync(join(folder, 'found', log!), 'utf8')).toContain(' no answer')
  })

  it('has as many runs as there are scenarios to try', async () => {
    const own = Array.from({ length: 9 }, (_, at) => `mine-${at}`)
    const files = own.map((name) => fileWith(`name: ${name}\n`))
    const { stdout } = await explore(`${client} await call('base-models')`, [
      ...files.map((file) => `--scenario=${file}`),
      `--only=${own.join(',')}`,
    ])
    expect(stdout).toMatch(/^10 of 10 runs, no failure after /m)
  })

  it('tries scenarios of a judge on code that asks for a number, and on no other', async () => {
    const asks = (model: string, content: string) => `
      const said = await send(SVTRAIN_INFERENCE_URL + '/chat/completions', {
        model: '${model}', messages: [{ role: 'user', content: '${content}' }]
      }, 5000)
    `
    const chosen = ['--only', 'judge-down,bad-judge']
    const number = 'Rate this from 0 to 10. Answer with a number.'
    const asked = await explore(client + asks('gpt-4.1-mini', number), chosen)
    expect(asked.stdout).toContain('createInferenceChatCompletion was refused with 503')
    expect(asked.stdout).toContain('2 passed, 1 failed')
    const never = await explore(client + asks('example/base-8b-instruct', number), chosen)
    expect(never.code).toBe(3)
    expect(never.stdout).toContain(
      "Nothing of it happened: no chat was recognized as a judge's; 1 chat went to example/base-8b-instruct: judge-down, bad-judge",
    )
  })

  it('delivers webhooks to a receiver of the command', async () => {
    const program = `${client}
      const { createServer } = await import('node:http')
      let jobs = 0
      const server = createServer((request, response) => {
        request.resume()
        response.end()
        if (jobs++ < 5) void create(id)
      })
      const { id } = await retry(() => call('models', model))
      // Late: when the first event is there already.
      await create(id)
      await new Promise((resolve) => server.listen(process.env.SVTRAIN_WEBHOOK_PORT, resolve))
      await create(id)
      while (jobs < 2) await new Promise((resolve) => setTimeout(resolve, 10))
      console.log('received')
      process.exit(0)
    `
    const { code, stderr } = await explore(program, [
      '--only=happy-path',
      '--webhook=http://127.0.0.1:{port}/hook',
    ])
    // Without two deliveries, it would not end.
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('did not end')])
  })

  it('loses nothing of what it found if its folder cannot be written', async () => {
    const program = `${blindRetry}
      import { writeFileSync } from 'node:fs'
      writeFileSync('explore-report', 'a file in the way')`
    const options = ['--only=commit-then-fail', '--report=report.html', '--junit=explore.xml']
    const { code, stdout, stderr, folder } = await explore(program, options)
    expect(code).toBe(1)
    expect(stdout).toMatch(/^Failure 1: createRlTrainingJob was repeated blindly/m)
    expect(stdout).toContain('operation: createRlTrainingJob')
    expect(stdout).toMatch(/^2 runs in .*1 broke a client check\.$/m)
    expect(stdout).toContain('Wrote explore.xml.\nWrote report.html.\n')
    expect(stderr).toMatch(/^Failed to write explore-report[\\/]1-\S+\.yaml: /m)
    expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('repeated blindly')
  })

  it('says once that there is no such command', async () => {
    const { code, stderr } = await endedInProcess(['explore', '--', 'no-such-command-here'], {
      cwd: temporaryFolder(),
    })
    expect(code).toBe(2)
    expect(stderr).toBe(
      'Failed to run no-such-command-here: there is no such command. Check the name and the PATH.\n',
    )
  })

  it('names the variables if the command never calls the emulator', async () => {
    const { code, stderr, folder } = await explore('console.log("hello")')
    expect(code).toBe(2)
    expect(stderr).toContain(' never called the emulator, so no scenario can change ')
    expect(stderr).toContain('It must read SVTRAIN_BASE_URL (the training API), ')
    expect(stderr).toContain('If it names no address, add --intercept')
    expect(stderr).toContain('before it exited with code 0:\n  hello\n')
    expect(existsSync(join(folder, 'explore-report'))).toBe(false)
  })

  it('shows the output of a command that fails without any fault', async () => {
    const { code, stderr } = await explore(
      `${client} await call('models', model); await call('modles', model)`,
    )
    expect(code).toBe(2)
    expect(stderr).toMatch(
      / fails without any fault: Error: modles answered 404 \(raised in loop\.mjs:\d+\)$/m,
    )
    expect(stderr).toMatch(/^ {2}.*throw new Error/m)
    expect(stderr).toContain('POST /v1/preview/modles 404')
  })

  it('stops all commands at Ctrl-C, and reports what it found', async () => {
    const program = `${blindRetry} if (process.argv.length > 2) process.exit()
      console.log('never shown'); setInterval(() => {}, 1000)`
    const folder = temporaryFolder()
    const pids = join(folder, 'pids')
    const loop = `
      import { appendFileSync, readFileSync } from 'node:fs'
      appendFileSync(${JSON.stringify(pids)}, process.pid + '\\n')
      if (readFileSync(${JSON.stringify(pids)}, 'utf8').split('\\n').length < 4) process.argv.push('end')
      ${program}`
    const command = startExplore(loop, ['--parallel=1'])
    await command.says(/^client check {2}run 2/m)
    await until('all programs run', () => readFileSync(pids, 'utf8').split('\n').length >= 4)
    command.process.kill('SIGINT')
    expect(await command.ended()).toBe(130)
    expect(command.stdout).toMatch(/1 broke a client check\. It was interrupted\.$/m)
    expect(command.stdout).not.toContain('never shown')
    expect(readdirSync(join(command.folder, 'explore-report'))).toHaveLength(2)
    for (const pid of readFileSync(pids, 'utf8').trim().split('\n')) {
      expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH')
    }
  })
})

/** A file that only this test has. */
function fileWith(text: string): string {
  const file = join(temporaryFolder(), 'scenario.yaml')
  writeFileSync(file, text)
  return file
}

describe('explore refuses', () => {
  it.each([
    ['--to', 'x', 'x is not a folder. It takes the path of a folder.'],
    ['--to', 'x/new/folder', 'x is not a folder. It takes the path of a folder.'],
    ['--junit', 'x/explore.xml', 'x is not a folder. It takes the path of a file.'],
    ['--report', 'here.html', 'here.html is not a file. It takes the path of a file.'],
  ])('%s %s before anything runs, and makes nothing', async (option, path, why) => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'x'), '')
    mkdirSync(join(folder, 'here.html'))
    workIn(folder)
    const { message } = await refused(`explore ${option} ${path} -- no-such-command-here`)
    expect(message.replaceAll(join(process.cwd(), ' ').trim(), '')).toBe(
      `${option} cannot be written to ${path}: ${why}`,
    )
    expect(readdirSync(folder)).toEqual(['here.html', 'x'])
  })

  it.each([
    ['explore', 'explore takes a command after two dashes: explore -- pytest -x'],
    ['explore --runs 0 -- a', '--runs takes a whole number from 1 to 100000, not "0".'],
    ['explore --time 0s -- a', /^--time takes a duration such as .*, above 0, not "0s"\.$/],
    [
      'explore --report rep -- a',
      '--report takes a file that ends with .html, not "rep". Add .html: rep.html',
    ],
    ['explore --port 4600 -- a', 'Unknown option "--port". Did you mean --report?'],
    [
      'explore --only chat-hang -- a',
      '--only takes names of scenarios, or faults for the drawn faults, fields for the changed fields of answers, crashes for the kills of the command, not "chat-hang". Did you mean "chat-hangs"?',
    ],
    [
      'explore --crash-at createJob:1:before -- a',
      '--crash-at takes an operation, a call and before or after, such as createRlTrainingJob:2:before, not "createJob:1:before". "createJob" is no operation.',
    ],
    ['explore --crash-at createModel:0:before -- a', /^--crash-at takes an operation, /],
    [
      'explore --crash-at createTrainingJob:1:after -- a',
      / "createTrainingJob" is no operation\. Did you mean "createRlTrainingJob"\?/,
    ],
    ['explore --scenario chat-hang -- a', /Did you mean "chat-hangs"\?/],
    ['explore --webhook-secret x -- a', '--webhook-secret needs --webhook, which was not given.'],
  ])('%s', async (line, message) => {
    const told = await refused(line)
    if (typeof message === 'string') expect(told.message).toBe(message)
    else expect(told.message).toMatch(message)
  })
})
