import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createEmulator, LOCAL_API_KEY } from '../../src/index.js'
import { environmentFor, mapping, proxyExceptions } from '../../src/cli/run/exec-environment.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { assertBuilt, Command, type CommandOptions } from './command.js'
import { refused } from './commands.js'
import { endedInProcess, type Ended } from './in-process.js'

beforeAll(assertBuilt)

function argumentsFor(program: string, options: readonly string[]): string[] {
  return ['exec', ...options, '--', process.execPath, '--eval', program]
}

/** Runs a program of Node's by `exec`. What the program prints belongs to the result. */
function exec(program: string, options: readonly string[] = [], started?: CommandOptions): Command {
  return new Command(argumentsFor(program, options), started)
}

/** Runs a program of Node's that prints nothing by `exec`, in the process of the test. */
function execHere(program: string, options: readonly string[] = []): Promise<Ended> {
  return endedInProcess(argumentsFor(program, options), { cwd: process.cwd() })
}

/** What `exec` prints about a program that ends well and calls nothing. */
const NO_CALL =
  'No call arrived here. If the command names no address of the emulator, add --intercept.\n'

/** A program that prints its process id and runs until a signal ends it. */
const staying = 'console.log("pid", process.pid); setInterval(() => {}, 1000);'

/** Defines functions that create a model, if there is none, and a job on it with these trajectories. */
const trainOnce = `
  let model
  async function call(path, body) {
    const response = await fetch(process.env.SVTRAIN_BASE_URL + '/preview/' + path, {
      method: 'POST',
      headers: { authorization: 'Bearer ' + process.env.SVTRAIN_API_KEY, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return response.json()
  }
  async function create() {
    model ??= await call('models', { project: 'demo', name: 'poet', base_model: 'example/base-8b-instruct' })
  }
  async function train(trajectories = [{ reward: 1 }, { reward: 0 }]) {
    await create()
    return call('training-jobs', { model_id: model.id, trajectory_groups: [{ trajectories }] })
  }
  const messages = [{ role: 'user', content: 'Sing.' }]
`

/** Whether a process is there. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function pidSaidBy(command: Command): Promise<number> {
  const [, pid] = await command.says(/pid (\d+)\n/)
  return Number(pid)
}

describe('exec', { timeout: 30_000 }, () => {
  it('prints the warnings about a command once, after it has ended, unless the log is silent', async () => {
    const program = `${trainOnce}
      await train()
      const body = { model: 'poet', messages: [{ role: 'user', content: 'Hi' }] }
      for (const _chat of [1, 2]) await call('../chat/completions', body)
      console.error('the end')
    `
    const [loud, silent] = [[], ['--log', 'silent']].map((log) => {
      return exec(program, ['--serve-any-model', '--clock=manual', ...log])
    })
    expect(await loud!.ended()).toBe(0)
    expect(loud!.stderr).toMatch(
      /^the end\nWarning: the chat with poet was answered as a base model: the trained model is local-team\/demo\/poet\. See: svtrain-emulator docs warnings\n1 job queued[^\n]*; 2 chats\.\n$/,
    )
    expect(await silent!.ended()).toBe(0)
    expect(silent!.stderr).toBe('the end\n')
  })

  it('says what a command that passes may not notice', async () => {
    const scenario = join(temporaryFolder(), 'mine.yaml')
    const rules = [
      'name: mine',
      'faults:',
      '  - { name: outage, fault: status, status: 503, match: { operation: getTrainingJob }, during: { to: 60s } }',
      '  - { name: typo, fault: status, status: 500, match: { operation: createModel, model: other } }',
      '  - { name: late, fault: drop, match: { operation: createModel }, calls: 9 }',
      'jobs:',
      '  - { match: { ordinal: 4 }, timeline: [{ event: training_failed, error_message: too hot }] }',
      '  - { timeline: [{ event: training_started }, { event: training_ended }] }',
    ]
    writeFileSync(scenario, rules.join('\n'))
    const program = `${trainOnce}
      const { id } = await train([{ reward: 1 }, { reward: 1 }])
      const headers = { authorization: 'Bearer ' + process.env.SVTRAIN_API_KEY }
      const url = process.env.SVTRAIN_BASE_URL + '/preview/training-jobs/' + id
      for (const _poll of [1, 2, 3]) await fetch(url, { headers })
    `
    const { code, stderr } = await execHere(program, ['--clock=instant', '--scenario', scenario])
    expect(code).toBe(0)
    expect(stderr.split('\n').slice(0, -1)).toEqual([
      'The scenario: 1 call of getTrainingJob got 503.',
      '1 job trained nothing: all trajectories of the same group have the same reward.',
      'Nothing came of typo (status): no call matched (1 call of createModel had another model).',
      'Nothing came of late (drop): 1 call matched, and none was changed; it waits for call 9 (`calls: { to: 9 }` means the first 9).',
      'Nothing came of jobs[0] (Job 4 of a model: fails: too hot): 1 job came, none of them this.',
      'The fault outage (status) hit one call: the clock instant skips the rest of its 60s. --clock real makes it last; `calls: 10` in place of `during` hits ten calls.',
      '1 job ended, newest checkpoint of poet: step 1.',
    ])
  })

  it('says what to do about jobs that trained nothing because the answers were made up', async () => {
    const program = `${trainOnce}
      await create()
      const rollout = async () => {
        const chat = { model: 'local-team/demo/poet', messages, logprobs: true }
        const { choices } = await call('../chat/completions', chat)
        return { messages_and_choices: [...messages, choices[0]], reward: 0 }
      }
      await train([await rollout(), await rollout()])
    `
    const { stderr } = await execHere(program, ['--clock=instant'])
    expect(stderr).toMatch(
      /^1 job trained nothing: .* same reward; if the answers are the reason, the emulator made them up: .*learning-policy/,
    )
  })

  it('says that answers had no log probabilities, and that no rule for chats matched', async () => {
    const program = `${trainOnce}
      await create()
      const { choices } = await call('../chat/completions', { model: 'local-team/demo/poet', messages })
      const rollout = (reward) => ({ messages_and_choices: [...messages, choices[0]], reward })
      await train([rollout(0), rollout(1)])
    `
    const own = join(temporaryFolder(), 'own.yaml')
    const rule = '{ match: { model: wandb-artifact* }, answer: La la. }'
    writeFileSync(own, `name: own\nchat: { rules: [${rule}] }\n`)
    const { stderr } = await execHere(program, ['--clock=instant', '--scenario', own])
    expect(stderr).toContain(
      '2 trained answers had no log probabilities, so the service may skip them: ask chats with logprobs: true.\n',
    )
    expect(stderr).toContain(
      'No rule of chat.rules matched any of 1 chat with local-team/demo/poet.\n',
    )
  })

  it('runs a command with its own emulator, and prints nothing on success', async () => {
    const command = exec(`
      const { SVTRAIN_BASE_URL, SVTRAIN_API_KEY, SVTRAIN_CONTROL_URL } = process.env
      const headers = { authorization: 'Bearer ' + SVTRAIN_API_KEY }
      const health = await fetch(SVTRAIN_BASE_URL + '/health', { headers })
      const ready = await fetch(SVTRAIN_CONTROL_URL + '/ready')
      console.log(health.status, await ready.json())
    `)
    expect(await command.ended()).toBe(0)
    expect(command.stdout).toBe('200 { ready: true }\n')
    expect(command.stderr).toBe('')
  })

  it('leads the SDK of runs and artifacts to the emulator', async () => {
    const program = `
      const { WANDB_BASE_URL, WANDB_API_KEY } = process.env
      const answer = await fetch(WANDB_BASE_URL + '/graphql', {
        method: 'POST',
        headers: { authorization: 'Basic ' + btoa('api:' + WANDB_API_KEY) },
        body: JSON.stringify({ query: '{ viewer { entity } }' }),
      }).then((response) => response.json())
      console.log(answer.data.viewer.entity, process.env.WHERE)
    `
    const env = { WANDB_BASE_URL: 'https://example.com' }
    const command = exec(program, ['--env=WHERE=<{training}|{key}>'], { env })
    expect(await command.ended()).toBe(0)
    expect(command.stdout).toMatch(
      /^local-team <http:\/\/127\.0\.0\.1:\d+\/v1\|svtrain-local0{35}>\n$/,
    )
    expect(command.stderr).toBe('')
  })

  it('gives the command a copy of the logins, which ends with it', async () => {
    const folder = temporaryFolder()
    const own = join(folder, 'netrc')
    writeFileSync(own, 'machine example.com login ada password hush\n')
    const program = `
      const { appendFileSync, readFileSync } = await import('node:fs')
      const { NETRC } = process.env
      console.log(NETRC + ' ' + readFileSync(NETRC, 'utf8'))
      appendFileSync(NETRC, 'machine 127.0.0.1')
    `
    const command = exec(program, [], { env: { NETRC: own } })
    expect(await command.ended()).toBe(0)
    const [, copy = '', text] = /^(\S+) (.*)/.exec(command.stdout)!
    expect(text).toBe('machine example.com login ada password hush')
    expect(existsSync(dirname(copy))).toBe(false)
    expect(readFileSync(own, 'utf8')).toBe('machine example.com login ada password hush\n')
  })

  describe('with a WANDB_API_KEY that the SDK accepts', () => {
    const key = `hush-${'h'.repeat(40)}`
    const set = { env: { WANDB_API_KEY: key } }
    const program = 'console.log(process.env.WANDB_API_KEY)'

    it('warns before the command starts, with the command line that removes the variable', async () => {
      const options = '--scenario failing-job --env OTHER={key} --checks --log=json'.split(' ')
      const command = new Command(
        ['exec', ...options, '--', 'node', '-p', 'process.exitCode = 3', key],
        set,
      )
      expect(await command.ended()).toBe(3)
      expect(command.stderr.split('\n').slice(0, 4)).toEqual([
        'Warning: WANDB_API_KEY is set. The command gets your key. A client that has no address of the emulator calls the real service with it.',
        'Run the command without it:',
        "  env -u WANDB_API_KEY npx svtrain-emulator exec --scenario failing-job --env 'OTHER={key}' --checks --log json -- node -p 'process.exitCode = 3' [not shown]",
        'Then it gets a key of the emulator. Read more: npx svtrain-emulator docs pytest',
      ])
    })

    it('does not change what the command gets', async () => {
      const command = exec(program, [], set)
      expect(await command.ended()).toBe(0)
      expect(command.stdout).toBe(`${key}\n`)
      expect(command.stderr).toMatch(/^Warning: WANDB_API_KEY is set\./)
      expect(command.stderr).not.toContain(key)
    })

    it.each(['mine', ''])('does not warn if --env replaces it by "%s"', async (got) => {
      const command = exec(program, ['--env', `WANDB_API_KEY=${got}`], set)
      expect(await command.ended()).toBe(0)
      expect(command.stdout).toBe(`${got}\n`)
      expect(command.stderr).toBe(NO_CALL)
    })
  })

  it('exits with the code of the command, and prints the trace', async () => {
    const program = 'await fetch(process.env.SVTRAIN_BASE_URL + "/helth"); process.exitCode = 7'
    const ran = await execHere(program, ['--scenario', 'failing-job', '--seed', '5'])
    expect(ran).toMatchObject({ code: 7, stdout: '' })
    const { stderr } = ran
    expect(stderr).toMatch(/^\n.* exited with code 7\. It ran for \S+\.\n\nWhat failed /)
    expect(stderr).toContain(
      '\n  404  GET /v1/helth: Not Found; nearest operation: GET /v1/health\n',
    )
    expect(stderr).toMatch(
      /^Run it again:\n {2}npx svtrain-emulator exec --scenario failing-job --seed 5 -- \S+ --eval '/m,
    )
    expect(stderr).toMatch(/^1 thing is pending:\n {2}request .* matched no operation/m)
    expect(stderr).toMatch(/^What happened .*:\n {2}\+0\.00s {2}GET \/v1\/helth 404/m)
  })

  it('reports each world of --isolate by its name', async () => {
    const file = join(temporaryFolder(), 'trace.txt')
    const program = `
      for (const key of ['ann', 'ben', 'ann']) {
        const headers = { authorization: 'Bearer ' + key }
        await fetch(process.env.SVTRAIN_BASE_URL + '/preview/modles', { headers })
      }
      process.exitCode = 1
    `
    const { code, stderr } = await execHere(program, ['--isolate', 'api-key', '--trace', file])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Worlds: world-1 \(key ann\), world-2 \(key ben\)$/m)
    expect(stderr).toMatch(/^ {2}404 {2}world-1: GET \/v1\/preview\/modles: .* \(2 times\)$/m)
    expect(stderr).toMatch(/^ {2}404 {2}world-2: GET \/v1\/preview\/modles: \S.*[^)]$/m)
    expect(stderr).toMatch(/^ {2}world-2 request {2}request 1 .* matched no operation/m)
    const trace = readFileSync(file, 'utf8')
    // Nothing used the world that all others come from.
    expect(trace.match(/^(?:What|Nothing) happened in \S+/gm)).toEqual([
      'What happened in world-1',
      'What happened in world-2',
    ])
    expect(trace).toMatch(
      /^What happened in world-2 \(.*\):\n {2}\+0\.00s {2}GET \/v1\/preview\/modles 404/m,
    )
    const happened = trace.replaceAll(/^What failed in [^]*?(?=^What happened)/gm, '')
    expect(happened.match(/^ +\+.* 404/gm)).toHaveLength(3)
  })

  it.each([0, 1])('writes the trace of a command that exits with %i', async (code) => {
    const file = join(temporaryFolder(), 'trace.txt')
    const fetchAll =
      'for (let i = 0; i < 80; i++) await fetch(process.env.SVTRAIN_BASE_URL + "/x" + i)'
    const ran = await execHere(`${fetchAll}; process.exitCode = ${code}`, ['--trace', file])
    expect(ran.code).toBe(code)
    expect(ran.stderr).toContain(`Wrote the trace to ${file}.`)
    const [failed = '', all = ''] = readFileSync(file, 'utf8').split(/^What happened.*\n/m)
    expect(failed).toMatch(/^What failed:\n.* GET \/v1\/x0 404/m)
    expect(failed.includes('exited with code 1. It ran for')).toBe(code === 1)
    expect(all.trimEnd().split('\n')).toHaveLength(80)
    expect(all).toMatch(/^.* GET \/v1\/x0 404/)
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('passes %s to the command, and leaves no process behind', async (signal, code) => {
    const command = exec(staying)
    const pid = await pidSaidBy(command)
    command.process.kill(signal)
    expect(await command.ended()).toBe(code)
    expect(lives(pid)).toBe(false)
  })

  it('lets the command handle a signal', async () => {
    const command = exec(`process.on('SIGINT', () => process.exit(3)); ${staying}`)
    await pidSaidBy(command)
    command.process.kill('SIGINT')
    expect(await command.ended()).toBe(3)
  })

  it('kills a command that ignores a second Ctrl-C', async () => {
    const command = exec(`
      let times = 0
      process.on('SIGINT', () => console.log('no', ++times))
      ${staying}
    `)
    const pid = await pidSaidBy(command)
    command.process.kill('SIGINT')
    await command.says(/no 1/)
    command.process.kill('SIGINT')
    expect(await command.ended()).toBe(137)
    expect(lives(pid)).toBe(false)
  })

  // Node says that it runs on Windows, and a script in place of the command interpreter shows what it
  // is called with.
  it.runIf(process.platform !== 'win32')(
    'finds .cmd files on Windows, and quotes their arguments',
    async () => {
      const folder = temporaryFolder()
      const interpreter = join(folder, 'cmd.exe')
      writeFileSync(interpreter, `#!/bin/sh\nprintf '%s\\n' "$@"\n`, { mode: 0o755 })
      const bin = join(folder, 'node_modules', '.bin')
      mkdirSync(bin, { recursive: true })
      writeFileSync(join(bin, 'vitest.CMD'), '')
      const onWindows = "Object.defineProperty(process, 'platform', { value: 'win32' })"
      const env = {
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(onWindows)}`,
        PATH: bin,
        comspec: interpreter,
        // Where Node keeps its compile cache on Windows.
        TEMP: folder,
      }
      const command = new Command(['exec', '--', 'vitest', 'run', 'a b', '"c" & %PATH%'], { env })
      const code = await command.ended()
      expect(command.stderr).toBe(NO_CALL)
      expect(code).toBe(0)
      // Twice, because the interpreter reads the arguments again in the file that it finds.
      const quoted = String.raw`^^^"run^^^" ^^^"a^^^ b^^^" ^^^"\^^^"c\^^^"^^^ ^^^&^^^ ^^^%PATH^^^%^^^"`
      expect(command.lines).toEqual(['/d', '/s', '/c', `"vitest ${quoted}"`])
    },
  )

  it('names failed jobs and failed deliveries of a command that passes', async () => {
    // Nothing listens on port 1. The command ends before the answers to its deliveries.
    const hook = ['--webhook', 'http://127.0.0.1:1/hook']
    const options = ['--scenario', 'failing-job', '--clock', 'instant', ...hook]
    const { code, stderr } = await execHere(`${trainOnce} await train()`, options)
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^1 job failed\.\nWhat failed in the emulator:\n {2}job {2}poet \w+ failed: CUDA out of memory: .*\n {2}delivery {2}RUN_STATE to receiver: .*ECONNREFUSED.* after 1 attempt\. Nothing listens at 127\.0\.0\.1:1: .*\. \(2 times\)\n/,
    )
  })

  it('says with --checks that deliveries were not judged', async () => {
    const hook = ['--webhook', 'http://127.0.0.1:1/hook']
    const options = ['--checks', '--scenario', 'failing-job', '--clock', 'instant', ...hook]
    const { stderr } = await execHere(`${trainOnce} await train()`, options)
    expect(stderr).toMatch(
      /^Not judged: deliveries: 2 deliveries without a 2xx answer, which .*\nNothing found in what was judged\.$/m,
    )
  })

  it('passes with warnings, says how to make them fail, and does that', async () => {
    const program = `${trainOnce}
      const asked = (content, reward) => ({ messages_and_choices: [{ role: 'user', content }, { role: 'assistant', content }], reward })
      await train([asked('A', 1), asked('B', 0)])
    `
    const passes = await execHere(program, ['--checks', '--clock', 'instant'])
    expect(passes.code).toBe(0)
    expect(passes.stderr).toMatch(
      /^The checks found 1 warning\. Only --checks=fail fails the command because of that\.$/m,
    )
    const fails = await execHere(program, ['--checks=fail', '--clock', 'instant'])
    expect(fails.code).toBe(1)
    expect(fails.stderr).toMatch(/^Client checks:\n {2}mixedPrompts: /m)
  })

  it('fails if the client checks of --checks find a mistake', async () => {
    const program = `${trainOnce} await train(); await train()`
    const { code, stderr } = await execHere(program, ['--checks', '--clock', 'auto'])
    expect(code).toBe(1)
    expect(stderr).toContain(' exited with code 0, but the client checks found 1 mistake. It ran')
    expect(stderr).toMatch(
      /^Client checks:\n {2}duplicateJobs: job \S+ is a duplicate: request 3 /m,
    )
    expect(stderr).toMatch(/ exec --scenario happy-path --clock auto --seed 1 --checks -- /)
  })

  it('keeps the exit code of a command that fails, and names the mistakes', async () => {
    const program = `${trainOnce} await train(); await train(); process.exitCode = 7`
    const { code, stderr } = await execHere(program, ['--checks', '--isolate=api-key'])
    expect(code).toBe(7)
    expect(stderr).toMatch(/^Client checks:\n {2}duplicateJobs: world-1: job /m)
    expect(stderr.match(/^(?:What|Nothing) happened.*/gm)).toEqual([
      expect.stringContaining('What happened in world-1 (scenario "happy-path", seed 1,'),
    ])
  })

  it('stops a command after --timeout, and says what was pending', async () => {
    const program = `
      process.on('SIGTERM', () => console.log('goodbye'))
      const headers = { authorization: 'Bearer ' + process.env.SVTRAIN_API_KEY }
      console.log('pid', process.pid)
      const query = 'mutation { upsertBucket(input: { entityName: "local-team", modelName: "verse", name: "poem" }) { bucket { id } } }'
      const body = JSON.stringify({ query })
      const type = { 'content-type': 'application/json' }
      await fetch(process.env.WANDB_BASE_URL + '/graphql', { method: 'POST', headers: { ...headers, ...type }, body })
      await fetch(process.env.SVTRAIN_BASE_URL + '/health', { headers })`
    const scenario = join(temporaryFolder(), 'hang.yaml')
    const fault = '{ match: { operation: healthCheck }, fault: hang }'
    writeFileSync(scenario, `name: hang\nfaults: [${fault}]\n`)
    const command = exec(program, ['--checks', '--timeout', '1s', '--scenario', scenario])
    const pid = await pidSaidBy(command)
    expect(await command.ended()).toBe(124)
    expect(lives(pid)).toBe(false)
    expect(command.stdout).toContain('goodbye')
    const { stderr } = command
    expect(stderr).toContain(' did not end in time and was stopped. It ran for ')
    expect(stderr).toMatch(
      /^1 thing was pending when it was stopped:\n {2}request {2}request 2 \(GET \/v1\/health hangs\) {2}hangs until its client leaves/m,
    )
    expect(stderr).toMatch(/ --timeout 1s .*-- /)
    expect(stderr).toMatch(/^No mistake found\.$/m)
    expect(stderr).toContain('created the run local-team/verse/poem')
  })

  it('does not wait for the --timeout of a command that ends', async () => {
    expect(await exec('', ['--timeout', '1h']).ended()).toBe(0)
  })

  it('delivers to a receiver that the command starts at {port}', async () => {
    const program = `
      const { createServer } = await import('node:http')
      const received = new Promise((resolve) => {
        createServer((request, response) => {
          request.resume()
          response.end()
          resolve(request.url)
        }).listen(process.env.MY_PORT, () => void train())
      })
      ${trainOnce}
      console.log(await received, process.env.MY_PORT === process.env.SVTRAIN_WEBHOOK_PORT)
      process.exit()`
    const url = 'http://127.0.0.1:{port}/hook'
    const options = ['--checks', '--webhook', url, '--env', 'MY_PORT={port}', '--clock', 'instant']
    const command = exec(program, options)
    const code = await command.ended()
    expect(command.stderr).toContain('\nNothing found in what was judged.')
    expect(code).toBe(0)
    expect(command.stdout).toBe('/hook true\n')
  })

  it('reports a command that does not exist', async () => {
    const words = ['exec', '--', 'no-such-command-here']
    const { code, stderr } = await endedInProcess(words, { cwd: process.cwd() })
    expect(code).toBe(127)
    expect(stderr).toBe(
      'Failed to run no-such-command-here: there is no such command. Check the name and the PATH.\n',
    )
  })

  it.skipIf(process.platform === 'win32')('reports a file that nobody may run', async () => {
    const file = join(temporaryFolder(), 'train.py')
    writeFileSync(file, '')
    const { code, stderr } = await endedInProcess(['exec', '--', file], { cwd: process.cwd() })
    expect(code).toBe(126)
    expect(stderr).toBe(
      `Failed to run ${file}: it is not an executable file. Make it one with chmod +x, or name its interpreter, as in: python file.py\n`,
    )
  })
})

describe('the variables of a command', () => {
  /** What a command gets. `env` has the values of `--env`. */
  function variablesOf(own: Record<string, string>, env: string[] = [], apiKey?: string) {
    const emulator = createEmulator(apiKey === undefined ? {} : { apiKeys: [apiKey] })
    return environmentFor(emulator, own, { mappings: env.map((text) => mapping.read(text)!) })
  }

  it.each([
    [[], undefined],
    [['OPENAI_BASE_URL={inference}'], LOCAL_API_KEY],
    [['OPENAI_BASE_URL={training}'], LOCAL_API_KEY],
    [['OPENAI_BASE_URL={inference}', 'OPENAI_API_KEY=mine'], 'mine'],
  ])('have a key for clients of chats that --env leads to the emulator: %j', (env, key) => {
    const variables: Record<string, string | undefined> = variablesOf({}, env)
    expect(variables['OPENAI_API_KEY']).toBe(key)
  })

  it('keep the SDK from other hosts, unless the user says otherwise', () => {
    const usual = variablesOf({})
    expect(usual).toMatchObject({ WANDB_ERROR_REPORTING: 'false', WEAVE_DISABLED: 'true' })
    expect(usual).not.toHaveProperty('WANDB_MODE')
    expect(variablesOf({ WANDB_ERROR_REPORTING: 'true' })).not.toHaveProperty(
      'WANDB_ERROR_REPORTING',
    )
  })

  const long = 'k'.repeat(40)

  it.each([
    [{}, undefined, LOCAL_API_KEY],
    [{ WANDB_API_KEY: '' }, undefined, LOCAL_API_KEY],
    [{ WANDB_API_KEY: 'short' }, undefined, LOCAL_API_KEY],
    [{}, 'short', LOCAL_API_KEY],
    [{}, long, long],
  ])(
    'have a key that the SDK accepts, with %j and the key %s of the scenario',
    (own, apiKey, key) => {
      expect(variablesOf(own, [], apiKey)).toMatchObject({ WANDB_API_KEY: key })
    },
  )

  const core = {
    trainingUrl: 'http://[::1]:4600/v1',
    inferenceUrl: 'http://127.0.0.1:4601/v1',
    sink: undefined,
  }
  const hosts = '::1,127.0.0.1,localhost'

  it.each([
    [{}, hosts, hosts],
    [{ NO_PROXY: 'a' }, `a,${hosts}`, `a,${hosts}`],
    [{ no_proxy: 'a' }, `a,${hosts}`, `a,${hosts}`],
    [{ NO_PROXY: 'A', no_proxy: 'b,::1' }, `A,${hosts}`, 'b,::1,127.0.0.1,localhost'],
    [{ NO_PROXY: '', no_proxy: ' a , ' }, hosts, `a,${hosts}`],
    [{ NO_PROXY: '*' }, '*', '*'],
  ])('exclude the emulator from a proxy, with %j', (environment, upper, lower) => {
    const exceptions = { NO_PROXY: upper, no_proxy: lower }
    expect(proxyExceptions(core, environment)).toEqual(exceptions)
    expect(Object.keys(variablesOf(environment))).toEqual(
      expect.arrayContaining(Object.keys(exceptions)),
    )
  })
})

describe('exec refuses', { timeout: 30_000 }, () => {
  it.each([
    ['exec', 'exec takes a command after two dashes: exec -- pytest -x'],
    ['exec --', 'exec takes a command after two dashes: exec -- pytest -x'],
    ['exec pytest', 'Unexpected argument "pytest". The command follows two dashes: -- pytest'],
    [
      'exec --intercept python train.py',
      'Unexpected argument "train.py". The command follows two dashes: -- python train.py',
    ],
    ['exec --scenari x -- a', 'Unknown option "--scenari". Did you mean --scenario?'],
    ['exec --env x -- a', /^--env takes a variable and its value, such as .*, not "x"\.$/],
    [
      'exec --env X={sink} -- a',
      /^--env uses \{sink\}, but there is no sink\. Start one with --sink\.$/,
    ],
    ['exec --env X={trainin} -- a', /^--env knows \{training\}, .* Did you mean \{training\}\?$/],
    ['exec --timeout soon -- a', /^--timeout takes a duration such as 250ms.*, not "soon"\.$/],
    [
      'exec --webhook http://127.0.0.1:{prt} -- a',
      /^--webhook takes a URL .*, where \{port\} may stand for a free port, not /,
    ],
    [
      'exec --allow-host-out pypi.org -- a',
      '--allow-host-out needs --intercept. Without it, the command may call all hosts.',
    ],
    ['exec --no-network --allow-host-out pypi.org -- a', / Leave one of them out\.$/],
    ['exec --port abc -- a', /^--port takes a whole number from 0 to 65535/],
    [
      'exec --checks=fial -- a',
      '--checks takes fail, so that warnings fail, too, not "fial". Did you mean "fail"?',
    ],
  ])('%s', async (line, message) => {
    const told = await refused(line)
    expect(told.command).toBe('exec')
    if (typeof message === 'string') expect(told.message).toBe(message)
    else expect(told.message).toMatch(message)
  })
})
