import { createHmac } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../src/cli/receiver-port.js'
import { RECORDED, reportHosts } from '../../src/cli/run/interception.js'
import { createEmulator } from '../../src/index.js'
import { CalledHosts } from '../../src/emulator/intercept/called-hosts.js'
import { clientAt, Command, start } from '../cli/command.js'
import { run, workIn } from '../cli/commands.js'
import { clientOf, jsonHeaders } from '../support/api-client.js'
import { allBlocks, pageOf, patternOf } from '../support/pages.js'
import { shownByPytest } from './python-examples.js'
import { startReceiver } from '../support/receiver.js'
import { RunningProcess } from '../support/running-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { chat, createModel, startJob } from '../support/trainer.js'

/**
 * Output that a page shows without a program directly above. Everything else is compared where its
 * program runs.
 */
const standing: readonly { file: string; has: string; print: () => Promise<string> }[] = [
  {
    file: 'docs/how-to/webhooks.md',
    has: 'fail    accepts a valid delivery',
    async print() {
      const secret = 's3cret'
      const receiver = await startReceiver((response, { headers, body }) => {
        const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
        if (headers['x-service-signature'] === expected) response.end()
        else response.writeHead(401).end('{"detail":"bad signature"}')
      })
      return (await run(`check-receiver ${receiver.url} --secret ${secret}`)).stdout
    },
  },
  {
    file: 'docs/how-to/editors.md',
    has: 'Checking 2 files: scenarios/mine.yaml changed',
    async print() {
      const cwd = temporaryFolder()
      mkdirSync(join(cwd, 'scenarios'))
      for (const name of ['mine', 'other']) {
        writeFileSync(join(cwd, 'scenarios', `${name}.yaml`), `name: ${name}\n`)
      }
      const command = new Command(['scenarios', 'check', 'scenarios', '--watch'], { cwd })
      await command.says(/^Checked /m)
      writeFileSync(join(cwd, 'scenarios', 'mine.yaml'), 'name: mine\nseed: one\n')
      await command.says(/Checked 2 files: 1 problem\n/)
      return command.stdout
    },
  },
  {
    file: 'docs/explain/jobs.md',
    has: 'nothing to train',
    print: () => logOf([], [{ reward: 1 }]),
  },
  {
    file: 'docs/explain/jobs.md',
    has: 'accepted a message that is not documented',
    print: () => {
      const odd = { role: 'unknown', content: 'Hello' }
      const user = { role: 'user', content: 'Hello' }
      const scenario = join(temporaryFolder(), 'any-message.yaml')
      const [shown] = blocks.filter(({ code }) => code.startsWith('name: any-message\n'))
      writeFileSync(scenario, shown!.code)
      const messages = { messages_and_choices: [user, odd] }
      return logOf(['--scenario', scenario], [{ reward: 1, ...messages }, { reward: 0 }])
    },
  },
  {
    file: 'docs/how-to/record.md',
    has: 'does not show how one job ended',
    async print() {
      const timeline = [
        { event: 'training_started', after: '10s' },
        { event: 'training_ended', after: '1h' },
      ] as const
      const job = { timeline: [...timeline] }
      const emulator = createEmulator({ clock: 'manual', scenario: { name: 'long', jobs: [job] } })
      const client = clientOf(emulator)
      const { id } = await createModel(client, 'poet')
      const started = await startJob(client, id)
      for (let poll = 0; poll < 5; poll++) {
        emulator.clock.advance('10s')
        await client.get(`/preview/training-jobs/${started}`)
      }
      workIn(temporaryFolder())
      writeFileSync('requests.har', JSON.stringify(await emulator.har()))
      await emulator.close()
      return (await run('scenarios from requests.har')).stderr
    },
  },
  { file: 'README.md', has: 'Run it again:', print: reportOfIntercepted },
  { file: 'docs/start/exec.md', has: 'Run it again:', print: reportOfIntercepted },
  {
    file: 'docs/start/webhook-receiver.md',
    has: '11 passed',
    print: async () => (await withReceiver('check-receiver')).command,
  },
  {
    file: 'docs/start/webhook-receiver.md',
    has: 'Call somebody:',
    print: async () => (await withReceiver('trigger')).receiver,
  },
  { file: 'docs/how-to/ci.md', has: 'Run it again:', print: reportOfExec },
  {
    file: 'docs/how-to/troubleshooting.md',
    has: 'Field required',
    print: () => logOf(['--sink', '--sink-port', '0']),
  },
  { file: 'docs/how-to/clients.md', has: 'Hosts that the command called:', print: hostsOfExec },
  { file: 'docs/how-to/record.md', has: 'Hosts that the command called:', print: hostsOfRecord },
]

/** What `record --intercept` says. Its calls would reach the real service, so they are counted without one. */
function hostsOfRecord(): Promise<string> {
  const called = new CalledHosts()
  for (let call = 0; call < 12; call++) called.count('api.training.wandb.ai', 'answered')
  for (let call = 0; call < 3; call++) called.count('api.wandb.ai', 'passed')
  called.count('huggingface.co', 'refused')
  const remedies = [
    'to allow it: --allow-host-out huggingface.co',
    'to answer its chats: --intercept documented --intercept inference=https://huggingface.co/v1 (pytest: svtrain_addresses)',
  ]
  called.failed('huggingface.co', remedies.join('; '))
  let printed = ''
  const write = (line: string): void => void (printed += `${line}\n`)
  reportHosts({ called: called.all, notCalled: [] }, { write }, RECORDED)
  return Promise.resolve(printed)
}

/** What `exec --intercept` says after twelve calls to the service, and one to another host. */
async function hostsOfExec(): Promise<string> {
  const program = `
    for (let call = 0; call < 12; call++) {
      const headers = { authorization: 'Bearer any-key' }
      await fetch('https://api.training.wandb.ai/v1/health', { headers })
    }
    await fetch('https://huggingface.co/').catch(() => {})
  `
  const node = [process.execPath, '--eval', program]
  const command = new Command(['exec', '--intercept', '--', ...node])
  await command.ended()
  return command.stderr
}

/** The report of `exec --intercept` after a program failed because its job failed. */
async function reportOfIntercepted(): Promise<string> {
  const cwd = temporaryFolder()
  const calls = `
    const url = 'https://api.training.wandb.ai/v1/preview/'
    const headers = ${JSON.stringify(jsonHeaders())}
    const call = async (path, body) => {
      return (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json()
    }
    const model = { project: 'demo', name: 'poet', base_model: 'example/base-8b' }
    const trajectory_groups = [{ trajectories: [{ reward: 1 }, { reward: 0.5 }] }]
    await call('training-jobs', { model_id: (await call('models', model)).id, trajectory_groups })
    process.exit(1)
  `
  writeFileSync(join(cwd, 'calls.mjs'), calls)
  // test/interop/docs.test.ts runs the program of the page in Python.
  const python = `#!/bin/sh\nexec '${process.execPath}' '${join(cwd, 'calls.mjs')}'\n`
  writeFileSync(join(cwd, 'python'), python, { mode: 0o755 })
  const env = { PATH: [cwd, process.env['PATH']].join(delimiter) }
  const options = ['--intercept', '--clock', 'instant', '--scenario', 'failing-job']
  const command = new Command(['exec', ...options, '--', 'python', 'train.py'], { cwd, env })
  await command.ended()
  return command.stderr
}

/** What the first receiver prints when its page calls it with a command, and what the command prints. */
async function withReceiver(name: string): Promise<{ command: string; receiver: string }> {
  const page = blocks.filter(({ file }) => file === 'docs/start/webhook-receiver.md')
  const program = page.find(({ language }) => language === 'js')!
  const { code: line } = page.find(({ code }) => code.startsWith(`npx svtrain-emulator ${name} `))!
  const port = String(await freePort())
  const receiver = new RunningProcess(
    process.execPath,
    ['--input-type=module', '--eval', program.code],
    { cwd: temporaryFolder(), env: { PORT: port } },
  )
  await receiver.says(/^Listening\.$/m)
  const { code, stdout } = await run(
    line.trim().replace('8080', port).split(' ').slice(2).join(' '),
  )
  expect({ code, stdout }).toMatchObject({ code: 0 })
  if (name === 'trigger') await receiver.says(/\n.*\n/)
  return { command: stdout, receiver: receiver.stdout }
}

/** The report of `exec` after `npm test` failed: a refused call, and a job that failed. */
async function reportOfExec(): Promise<string> {
  const cwd = temporaryFolder()
  const calls = `
    const { SVTRAIN_BASE_URL: url, SVTRAIN_CONTROL_URL: control } = process.env
    const headers = ${JSON.stringify(jsonHeaders())}
    await fetch(url + '/preview/models', { method: 'POST', headers, body: '{}' })
    await fetch(control + '/jobs', { method: 'POST', body: '{"model": "poet"}' })
    process.exit(1)
  `
  writeFileSync(join(cwd, 'test.mjs'), calls)
  writeFileSync(join(cwd, 'package.json'), '{"scripts": {"test": "node test.mjs"}}')
  const options = ['--scenario', 'failing-job', '--clock', 'instant']
  const command = new Command(['exec', ...options, '--', 'npm', 'test'], { cwd })
  await command.ended()
  return command.stderr
}

/** The log of an emulator that gets a job with one group. With the sink, it also gets a call that it refuses. */
async function logOf(
  options: readonly string[],
  trajectories: readonly object[] = [{ reward: 1 }, { reward: 0 }],
): Promise<string> {
  const emulator = start(options)
  const { training } = await emulator.ready()
  const client = clientAt(training)
  const { id } = await createModel(client, { project: 'demo', name: 'poet' })
  if (options.includes('--sink')) await client.post('/preview/models', {})
  await startJob(client, id, [{ trajectories }])
  await emulator.says(options.includes('--sink') ? /webhook sink: 1: .*\n/ : /queued RL job/)
  emulator.signal('SIGINT')
  await emulator.ended()
  return emulator.stdout
}

const blocks = allBlocks().filter(({ file }) => !pageOf(file).isGenerated)
const alone = blocks.filter(({ language, isShown }, index) => {
  // test/interop/docs.test.ts compares the output of pytest.
  const isOfPytest = index > 0 && shownByPytest(blocks[index - 1]!, blocks) !== undefined
  return language === 'text' && !isShown && !isOfPytest
})

describe('the output that pages show', () => {
  it.each(standing)('$file shows what is printed: $has', async ({ file, has, print }) => {
    const [shown] = alone.filter((block) => block.file === file && block.code.includes(has))
    expect(shown).toBeDefined()
    expect(await print()).toMatch(patternOf(shown!.code))
  })

  it('stands below the program that prints it, or is compared here', () => {
    const strangers = alone.filter(({ file, code }) => {
      return !standing.some((each) => each.file === file && code.includes(each.has))
    })
    expect(strangers.map(({ place }) => place)).toEqual([])
  })

  it('docs/how-to/chat.md shows the error for a prompt that is too long', async () => {
    const [shown] = blocks.filter(
      ({ file, language }) => file === 'docs/how-to/chat.md' && language === 'json',
    )
    await using emulator = createEmulator({ scenario: 'context-overflow' })
    const { status, body } = await chat(clientOf(emulator).inference, 'word '.repeat(500))
    expect([status, body]).toEqual([400, JSON.parse(shown!.code)])
  })
})
