import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { assertBuilt, clientAt } from '../cli/command.js'
import { readJunit } from '../cli/failure/read-junit.js'
import { root } from '../support/pages.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { createModel } from '../support/trainer.js'

/** The actions for GitHub: their files, and their scripts as a runner starts them. */

const folder = join(root, '.github', 'actions', 'svtrain-emulator')

interface Step {
  id?: string
  if?: string
  run?: string
  uses?: string
  shell?: string
  env?: Record<string, string>
  with?: Record<string, string>
}

interface Action {
  name: string
  description: string
  inputs: Record<string, { description: string; default: string }>
  outputs?: Record<string, { description: string; value: string }>
  runs: { using: string; steps: Step[] }
}

const actions = ['.', 'stop'].map((path) => {
  const text = readFileSync(join(folder, path, 'action.yml'), 'utf8')
  return { path, text, action: parse(text) as Action }
})

/** The scripts that a script reads, and itself. */
function textOf(script: string): string {
  const text = readFileSync(script, 'utf8')
  const others = [...text.matchAll(/(?:\$here|\$\(dirname "\$0"\))\/([\w./]+\.(?:sh|mjs))/g)]
  return [text, ...others.map(([, file]) => textOf(join(dirname(script), file!)))].join('\n')
}

function inputsIn(text: string): string[] {
  return [...text.matchAll(/\$\{?(INPUT_[A-Z_]+)/g)].map(([, name]) => name!)
}

it('what both actions share reads only variables that an action sets', () => {
  const known = actions.flatMap(({ action }) => {
    return action.runs.steps.flatMap(({ env = {} }) => Object.keys(env))
  })
  const read = inputsIn(readFileSync(join(folder, 'common.sh'), 'utf8'))
  expect(read.filter((name) => !known.includes(name))).toEqual([])
})

describe.each(actions)('the action $path', ({ path, text, action }) => {
  const { inputs, outputs = {}, runs } = action
  const runSteps = runs.steps.filter(({ run }) => run !== undefined)
  const scriptOf = ({ run }: Step): string => {
    return join(folder, path, /\$GITHUB_ACTION_PATH\/([\w.]+)/.exec(run!)![1]!)
  }

  it('is a composite action whose inputs and outputs are described', () => {
    expect(runs.using).toBe('composite')
    expect(action.description).toMatch(/\.$/)
    for (const each of [...Object.values(inputs), ...Object.values(outputs)]) {
      expect(each.description).toMatch(/\w{3}/)
    }
    for (const { default: value } of Object.values(inputs)) expect(typeof value).toBe('string')
  })

  it('uses only inputs that exist, and all of them', () => {
    const used = new Set(
      [...text.matchAll(/\$\{\{[^}]*\binputs\.([\w-]+)/g)].map(([, name]) => name!),
    )
    expect([...used].toSorted()).toEqual(Object.keys(inputs).toSorted())
  })

  it('passes values to scripts as variables, never as a part of a command', () => {
    for (const { run, shell } of runSteps) {
      expect(run).not.toContain('${{')
      expect(shell).toBe('bash')
    }
  })

  it('sets each variable that its scripts read', () => {
    for (const step of runSteps) {
      const known = Object.keys(step.env!)
      expect(
        inputsIn(readFileSync(scriptOf(step), 'utf8')).filter((name) => !known.includes(name)),
      ).toEqual([])
      for (const [name, value] of Object.entries(step.env!)) {
        const input = name.replace('INPUT_', '').toLowerCase().replaceAll('_', '-')
        expect(value).toBe(`\${{ inputs.${input} }}`)
      }
    }
  })

  it('reads only outputs that its scripts write', () => {
    const read = [...text.matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g)]
    for (const [, id, name] of read) {
      const step = runSteps.find((each) => each.id === id)!
      expect(textOf(scriptOf(step))).toMatch(new RegExp(`(?:^ *output |[' ])${name}[': ,]`, 'm'))
    }
  })

  it.skipIf(process.platform === 'win32')('has scripts that can be executed', () => {
    for (const step of runSteps) expect(statSync(scriptOf(step)).mode & 0o111).toBe(0o111)
  })
})

describe('the scripts of the action', { timeout: 60_000 }, () => {
  beforeAll(assertBuilt)

  it('run a command with its own emulator', async () => {
    const runner = new Runner()
    const ran = await runner.run({
      run: 'echo "$SVTRAIN_BASE_URL $GREETING ${INPUT_RUN-no input}$(cat)"',
      scenario: 'failing-job',
      args: `--env 'GREETING=hello "you"'`,
    })
    expect(ran.code).toBe(0)
    expect(ran.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1 hello "you" no input\n$/)
    expect(ran.stderr).toMatch(
      /^No call arrived here\. .*\nWrote the trace to .*\nWrote the report to .*\nWrote the JUnit report to .*\n$/,
    )
    expect(runner.outputs).toEqual({})
    expect(runner.summary).toBe('')
  })

  it('leave reports of a command that fails, and exit as it does', async () => {
    const runner = new Runner()
    const command = 'curl -s "$SVTRAIN_BASE_URL/helth" | cat\nfalse | cat\necho "not reached"'
    const ran = await runner.run({ run: command, seed: '7', report: 'failure-20' })
    expect(ran.code).toBe(1)
    expect(ran.stdout).not.toContain('not reached')
    expect(ran.stderr).toContain('exited with code 1')
    expect(ran.stderr).toContain('--seed 7')
    const path = runner.outputs['path']!
    expect(readFileSync(join(path, 'report.html'), 'utf8')).toContain('/v1/helth')
    expect(readJunit(readFileSync(join(path, 'junit.xml'), 'utf8'))[0]!.outcome).toBe('failure')
    expect(runner.summary).toContain('the command exited with code 1')
    expect(runner.summary).toContain('`failure-20`')
    expect(runner.summary).toMatch(/^~+text\n[^]*GET \/v1\/helth 404[^]*\n~+$/m)
  })

  it('do not evaluate inputs', async () => {
    const runner = new Runner()
    const evil = '$(touch evil) `touch evil` ; touch evil #'
    const ran = await runner.start({ scenario: evil, args: '--seed $(touch evil)' })
    expect(ran.code).toBe(1)
    expect((await runner.start({ version: '0; touch evil' })).stdout).toContain(
      '::error title=svtrain-emulator::The input version takes a version',
    )
    expect((await runner.start({ args: "--seed '7" })).stdout).toContain(
      "::error title=svtrain-emulator::The input args has a quote without its end: --seed '7",
    )
    expect(existsSync(join(runner.project, 'evil'))).toBe(false)
  })

  it('start an emulator for the next steps, export its variables, and stop it', async () => {
    const runner = new Runner()
    const started = await runner.start({ args: '--sink' })
    expect(started).toMatchObject({ code: 0, stderr: '' })
    const { outputs, env } = runner
    expect(env).toMatchObject({
      SVTRAIN_BASE_URL: outputs['training-url'],
      SVTRAIN_INFERENCE_URL: outputs['inference-url'],
      SVTRAIN_CONTROL_URL: outputs['control-url'],
      SVTRAIN_SINK_URL: outputs['sink-url'],
      SVTRAIN_API_KEY: outputs['api-key'],
    })
    const key = env['SVTRAIN_API_KEY']!
    expect(started.stdout).toContain(`::add-mask::${key}\n`)
    expect(started.stdout.replaceAll(`::add-mask::${key}\n`, '')).not.toContain(key)
    await createModel(clientAt(env['SVTRAIN_BASE_URL']!))

    const stopped = await runner.stop({ status: 'success' })
    expect(stopped).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(runner.outputs['path']).toBe('')
    expect(runner.summary).toBe('')
    await expect(fetch(env['SVTRAIN_BASE_URL']!)).rejects.toThrow('fetch failed')
    expect(await runner.stop({ status: 'success' })).toMatchObject({ code: 0 })
  })

  it('answer the real hosts for the next steps, until the stop', async () => {
    const runner = new Runner()
    runner.env = { NO_PROXY: 'mine.test', WANDB_API_KEY: 'a-real-key-of-the-user' }
    const started = await runner.start({ intercept: 'true', 'allow-hosts-out': 'a.test, b.test' })
    expect(started).toMatchObject({ code: 0, stderr: '' })
    const { env } = runner
    expect(env['HTTPS_PROXY']).toBe(runner.outputs['proxy-url'])
    expect(env['WANDB_API_KEY']).toBe(env['SVTRAIN_API_KEY'])
    expect(existsSync(env['SSL_CERT_FILE']!)).toBe(true)
    expect(env).not.toHaveProperty('NODE_OPTIONS')
    expect(await runner.shell(HEALTH)).toBe('{"status":"ok"}')

    expect(await runner.stop({ status: 'success' })).toMatchObject({ code: 0 })
    const restored = { HTTPS_PROXY: '', NO_PROXY: 'mine.test', NODE_EXTRA_CA_CERTS: '' }
    expect(runner.env).toMatchObject(restored)
    expect(runner.env['SSL_CERT_FILE']).not.toBe(env['SSL_CERT_FILE'])
  })

  it('answer the real hosts for one command', async () => {
    const ran = await new Runner().run({
      run: HEALTH,
      intercept: 'training=https://api.training.wandb.ai/v1',
    })
    expect(ran).toMatchObject({ code: 0, stdout: '{"status":"ok"}' })
    expect(ran.stderr).toContain('api.training.wandb.ai  1 answered by the emulator')
  })

  it('report what happened if the job failed', async () => {
    const runner = new Runner()
    await runner.start({ scenario: 'failing-job', args: '--host 0.0.0.0' })
    await fetch(`${runner.env['SVTRAIN_BASE_URL']}/helth`)
    expect(runner.env['SVTRAIN_CONTROL_TOKEN']).toMatch(/\w{16}/)
    const stopped = await runner.stop({ status: 'failure', report: 'of-the-job' })
    expect(stopped).toMatchObject({ code: 0, stderr: '' })
    const path = runner.outputs['path']!
    expect(readFileSync(join(path, 'report.html'), 'utf8')).toContain('/v1/helth')
    expect(readFileSync(join(path, 'trace.txt'), 'utf8')).toContain('GET /v1/helth 404')
    for (const name of ['report.html', 'trace.txt', 'log.txt']) {
      const text = readFileSync(join(path, name), 'utf8')
      expect(text).not.toContain(runner.env['SVTRAIN_CONTROL_TOKEN'])
    }
    expect(runner.summary).toContain('`of-the-job`')
    expect(runner.summary).toContain('GET /v1/helth 404')
  })

  it('start two at once, and stop one or all', async () => {
    const runner = new Runner()
    await runner.start()
    const first = { ...runner.outputs }
    await runner.start()
    const second = { ...runner.outputs }
    await runner.start()
    const urls = [first, second, runner.outputs].map((each) => `${each['control-url']}/ready`)
    expect(new Set(urls).size).toBe(3)
    const live = () =>
      Promise.all(
        urls.map((url) =>
          fetch(url).then(
            () => true,
            () => false,
          ),
        ),
      )
    expect(await live()).toEqual([true, true, true])
    await runner.stop({ status: 'success', folder: second['folder']! })
    expect(await live()).toEqual([true, false, true])
    await runner.stop({ status: 'failure' })
    expect(await live()).toEqual([false, false, false])
    expect(runner.outputs['path']!.split('\n')).toHaveLength(2)
    expect(runner.env['SVTRAIN_ACTION_FOLDERS']).toBe('')
  })

  it('say why an emulator does not start, with its log', async () => {
    const runner = new Runner()
    const ran = await runner.start({ scenario: 'failing-jb' })
    expect(ran.code).toBe(1)
    expect(ran.stdout).toMatch(/^::group::.*\n[^]*failing-jb[^]*\n::endgroup::$/m)
    expect(ran.stdout).toMatch(/^::error .*ended before it was ready: .*failing-jb/m)
    expect(runner.env).toEqual({})
    expect(await runner.stop({ status: 'failure' })).toMatchObject({ code: 0 })
  })

  it('need Node.js only for an emulator in the background', async () => {
    const runner = new Runner('echo "$1"')
    runner.hideNode()
    expect((await runner.start()).stdout).toContain(
      '::error title=svtrain-emulator::This action needs Node.js',
    )
    expect(await runner.run({ run: 'true' })).toMatchObject({ code: 0, stdout: 'exec\n' })
  })

  it('do not wait for ever', async () => {
    const runner = new Runner('exec sleep 600')
    const ran = await runner.start({ 'start-timeout': '1' })
    expect(ran.code).toBe(1)
    expect(ran.stdout).toMatch(/^::error .*was not ready after 1 seconds/m)
  })

  it('say that an emulator ended before it was stopped', async () => {
    const runner = new Runner()
    await runner.start()
    const ready = JSON.parse(
      readFileSync(join(runner.outputs['folder']!, 'ready.json'), 'utf8'),
    ) as { pid: number }
    process.kill(ready.pid, 'SIGKILL')
    const { code, stdout } = await runner.stop({ status: 'failure' })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^::warning .*ended before it was stopped/m)
  })

  it('take the version that is asked for from npm', async () => {
    const runner = new Runner('echo "installed: $*"; exit 3')
    runner.program('npx', `echo "npx: $*"; exit 3`)
    expect((await runner.run({ run: 'true' })).stdout).toMatch(/^installed: exec /)
    expect((await runner.run({ run: 'true', version: '^0.2' })).stdout).toMatch(
      /^npx: --yes svtrain-emulator@\^0\.2 exec /,
    )
    expect((await new Runner(null).run({ run: 'true' })).stdout).toBe('')
  })
})

/** A program that names no address. */
const HEALTH = 'curl -s https://api.training.wandb.ai/v1/health -H "authorization: Bearer any-key"'

interface Ran {
  code: number
  stdout: string
  stderr: string
}

/** A runner of GitHub: the files that scripts write to, and the variables of the next step. */
class Runner {
  readonly project = temporaryFolder()
  readonly #temporary = temporaryFolder()
  readonly #programs = join(this.#temporary, 'programs')
  #path = [this.#programs, dirname(process.execPath), process.env['PATH']].join(delimiter)
  env: Record<string, string> = {}
  outputs: Record<string, string> = {}
  summary = ''

  /** @param program What the installed command does. Default: it is the command of this repository. */
  constructor(
    program:
      | string
      | null = `exec "${process.execPath}" "${join(root, 'bin', 'svtrain-emulator.js')}" "$@"`,
  ) {
    mkdirSync(this.#programs)
    if (program === null) this.program('npx', 'exit 3')
    else {
      const installed = join(this.project, 'node_modules', '.bin')
      mkdirSync(installed, { recursive: true })
      write(join(installed, 'svtrain-emulator'), program)
    }
    onTestFinished(async () => void (await this.stop({ status: 'success' })))
  }

  /** Puts a program into the path. */
  program(name: string, text: string): void {
    write(join(this.#programs, name), text)
  }

  /** Leaves only a few programs in the path. */
  hideNode(): void {
    const programs = [
      'bash',
      'sh',
      'cat',
      'dirname',
      'mkdir',
      'mktemp',
      'xargs',
      'printf',
      'sed',
      'tr',
      'tail',
    ]
    const folders = (process.env['PATH'] ?? '').split(delimiter)
    for (const name of programs) {
      const found = folders.map((each) => join(each, name)).find((each) => existsSync(each))
      symlinkSync(found!, join(this.#programs, name))
    }
    this.#path = this.#programs
  }

  run(inputs: Record<string, string>): Promise<Ran> {
    return this.#step(actions[0]!, 'run', inputs)
  }

  start(inputs: Record<string, string> = {}): Promise<Ran> {
    return this.#step(actions[0]!, 'start', inputs)
  }

  stop(inputs: Record<string, string>): Promise<Ran> {
    return this.#step(actions[1]!, 'stop', inputs)
  }

  /** Runs a step of the workflow, and returns what it prints. */
  async shell(command: string): Promise<string> {
    const env = { PATH: this.#path, ...this.env }
    return (await promisify(execFile)('/bin/bash', ['-ec', command], { env })).stdout
  }

  /** Runs a step as the runner does: by bash, with the variables of earlier steps and its own files. */
  async #step(
    { path, action }: (typeof actions)[number],
    id: string,
    given: Record<string, string>,
  ): Promise<Ran> {
    const step = action.runs.steps.find((each) => each.id === id)!
    const unknown = Object.keys(given).filter((name) => !Object.hasOwn(action.inputs, name))
    if (unknown.length > 0) throw new Error(`The action has no input ${unknown.join()}`)
    const inputs = Object.entries(step.env!).map(([name, value]) => {
      const input = /inputs\.([\w-]+)/.exec(value)![1]!
      return [name, given[input] ?? action.inputs[input]!.default]
    })
    const files = Object.fromEntries(
      ['GITHUB_ENV', 'GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY'].map((name) => {
        const file = join(this.#temporary, name)
        writeFileSync(file, '')
        return [name, file]
      }),
    )
    const env = {
      PATH: this.#path,
      HOME: this.#temporary,
      RUNNER_TEMP: this.#temporary,
      GITHUB_ACTION_PATH: join(folder, path),
      ...this.env,
      ...files,
      ...Object.fromEntries(inputs),
    }
    const shell = promisify(execFile)('/bin/bash', ['-eo', 'pipefail', '-c', step.run!], {
      cwd: this.project,
      env,
    })
    shell.child.stdin!.end()
    const ran = await shell.then(
      (printed) => ({ code: 0, ...printed }),
      (error: unknown) => {
        const { code, stdout, stderr } = error as Ran
        return { code, stdout, stderr }
      },
    )
    this.env = { ...this.env, ...readCommands(files['GITHUB_ENV']!) }
    this.outputs = readCommands(files['GITHUB_OUTPUT']!)
    this.summary = readFileSync(files['GITHUB_STEP_SUMMARY']!, 'utf8')
    return ran
  }
}

function write(file: string, text: string): void {
  writeFileSync(file, `#!/bin/sh\n${text}\n`)
  chmodSync(file, 0o755)
}

/** Reads what a step wrote for the runner: `name=value`, or a name, a mark, lines and the mark. */
function readCommands(file: string): Record<string, string> {
  const read: Record<string, string> = {}
  const lines = readFileSync(file, 'utf8').split('\n')
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    if (line === '') continue
    const [, name, mark] = /^([\w-]+)<<(.+)$/.exec(line) ?? []
    if (name === undefined || mark === undefined) throw new Error(`Not a command: ${line}`)
    const end = lines.indexOf(mark)
    if (end === -1) throw new Error(`No end of ${name}`)
    read[name] = lines.splice(0, end).join('\n')
    lines.shift()
  }
  return read
}
