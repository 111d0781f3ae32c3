import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { parse } from 'yaml'
import { createEmulator, type Emulator } from '../../src/index.js'
import { builtInScenarios } from '../../src/service/scenario/all-built-in-scenarios.js'
import { builtInScenario } from '../../src/service/scenario/built-in-scenarios.js'
import { checkScenario } from '../../src/service/scenario/check-scenario.js'
import { clientOf, withKey } from '../support/api-client.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { createModel, groups, listEvents, startJob } from '../support/trainer.js'
import { refused, run, workIn } from './commands.js'
import { listening } from './listening.js'

const folder = join(import.meta.dirname, '..', '..', 'scenarios')
const files = readdirSync(folder)

describe('scenarios list', () => {
  const rows = builtInScenarios.map(({ name, description }) => ({ name, description }))

  it('has one line for each scenario', async () => {
    const { stdout } = await run('scenarios list')
    for (const { name, description } of rows) {
      expect(stdout).toMatch(new RegExp(`^${name} +`, 'm'))
      expect(stdout).toContain(description)
    }
  })

  it('prints JSON with --json', async () => {
    expect(JSON.parse((await run('scenarios list --json')).stdout)).toEqual(rows)
  })
})

describe('scenarios show', () => {
  it.each(builtInScenarios.map(({ name }) => name))('prints all of %s', async (name) => {
    const { stdout } = await run(`scenarios show ${name}`)
    expect(checkScenario(parse(stdout))).toEqual(builtInScenario(name))
  })

  it('omits default values', async () => {
    expect((await run('scenarios show failing-job')).stdout.split('\n').length).toBeLessThan(15)
  })

  it('shows the source of a function, which YAML cannot express', async () => {
    const file = join(temporaryFolder(), 'typed.mjs')
    writeFileSync(
      file,
      `export default { name: 'typed', jobs: [{ match: (job) => job.ordinal === 2, timeline: [{ event: 'never' }] }] }`,
    )
    const { stdout } = await run(`scenarios show ${file}`)
    expect(stdout).toContain('match: !function (job) => job.ordinal === 2')
  })

  it('escapes control characters', async () => {
    const file = join(temporaryFolder(), 'odd.yaml')
    writeFileSync(file, String.raw`{ name: odd, description: "\u009b31m \u202e" }`)
    const { stdout } = await run(`scenarios show ${file}`)
    expect(stdout).not.toMatch(/[\u009b\u202e]/)
  })
})

/** Makes a scenario of the snapshot of an emulator, in a new working directory. Returns what is printed. */
async function madeOf(emulator: Emulator, options = ''): Promise<string> {
  workIn(temporaryFolder())
  writeFileSync('state.json', JSON.stringify(await emulator.snapshot()))
  await emulator.close()
  return (await run(`scenarios from state.json${options}`)).stdout
}

describe('scenarios from', () => {
  const events = [
    { id: 'a', type: 'training_started', data: { num_sequences: 0 } },
    { id: 'b', type: 'training_ended', data: {} },
  ]

  function saved(): string {
    const where = temporaryFolder()
    writeFileSync(join(where, 'Incident.7.json'), JSON.stringify(events))
    return where
  }

  it('prints a scenario that is named after the file', async () => {
    const file = join(saved(), 'Incident.7.json')
    const { code, stdout } = await run(`scenarios from ${file}`)
    expect(code).toBe(0)
    expect(checkScenario(parse(stdout))).toMatchObject({ name: 'incident-7' })
  })

  it('writes a file, and replaces it only with --force', async () => {
    const where = saved()
    const file = join(where, 'Incident.7.json')
    const to = join(where, 'mine.yaml')
    const write = (more = '') => run(`scenarios from ${file} --to ${to}${more}`)
    expect((await write()).stdout).toBe(
      `Wrote ${to}. Try it: npx svtrain-emulator play ${to}\n` +
        `Then run your test with it: npx svtrain-emulator exec --scenario ${to} --clock instant -- <your test>`,
    )
    expect((await run(`scenarios check ${to}`)).code).toBe(0)
    expect(await refused(`scenarios from ${file} --to ${to} --name other`)).toEqual({
      message: `${to} exists already. Choose another file, or replace it with --force.`,
      command: 'scenarios from',
    })
    expect(readFileSync(to, 'utf8')).toContain('name: mine')
    expect((await write(' --name other --force')).code).toBe(0)
    expect(readFileSync(to, 'utf8')).toContain('name: other')
  })

  it.each(['failing-job', 'failng-job'])('are checked by path: %s is a name', async (name) => {
    const { code, stderr } = await run(`scenarios check ${name}`)
    expect(code).toBe(2)
    expect(stderr).toBe(
      `There is no file ${name}. Built-in scenarios are checked already: "svtrain-emulator scenarios show failing-job" prints failing-job. To change it, save that as a file, such as ./mine.yaml.`,
    )
  })

  it('are not found by a name without their ending, but named', async () => {
    const where = temporaryFolder()
    writeFileSync(join(where, 'rec.yaml'), 'name: rec\n')
    workIn(where)
    expect((await refused('play rec')).message).toBe(
      'Unknown scenario "rec". Did you mean the file ./rec.yaml?',
    )
    expect(() => createEmulator({ scenario: 'rec' })).toThrow(
      'For a file, give its path, such as ./mine.yaml.',
    )
    expect(() => createEmulator().reset('./rec.yaml')).toThrow(
      'this is a path. Load the file first: scenario: await loadScenario("./rec.yaml").',
    )
  })

  it('refuses a scenario, and says how to run it', async () => {
    const file = join(temporaryFolder(), 'rec.yaml')
    writeFileSync(file, 'name: rec\njobs: []\n')
    const { code, stderr } = await run(`scenarios from ${file}`)
    expect([code, stderr]).toEqual([
      2,
      `"${file}" is a scenario already. Run it: svtrain-emulator play ${file}.`,
    ])
  })

  it('writes nothing and exits with 1 if nothing shows how a job ended, except with --partial', async () => {
    workIn(temporaryFolder())
    writeFileSync('half.json', JSON.stringify(events.slice(0, 1)))
    const line = 'scenarios from half.json --to half.yaml'
    const { code, stdout, stderr } = await run(line)
    expect([code, stdout, existsSync('half.yaml')]).toEqual([1, '', false])
    expect(stderr).toBe(
      'half.json does not show how one job ended, so no scenario is written:\n' +
        '  The job: the last of its events is training_started.\n' +
        'Save its events again when it is over.\n' +
        'With --partial, the scenario is written anyway. Its first lines say what such a job does.',
    )
    expect((await run('scenarios from half.json')).stdout).toBe('')
    const partial = await run(`${line} --partial`)
    expect(partial.code).toBe(0)
    expect(partial.stderr).toContain('does not show how one job ended, so the scenario is partial:')
    const text = readFileSync('half.yaml', 'utf8')
    expect(text.split('\n')[1]).toBe('# Partial: nothing shows how the job ended.')
    expect(checkScenario(parse(text)).jobs[0]!.timeline.at(-1)).toEqual({
      event: 'training_failed',
      after: '1s',
      error_message: 'not in the recording: how this job ended',
    })
  })

  it('says on stderr what is lost, and names a clock under which faults of polls come', async () => {
    workIn(temporaryFolder())
    const emulator = createEmulator({ clock: 'manual', scenario: 'failing-job' })
    emulator.faults.add({ fault: 'edit', calls: 1, set: { extra: 'private' } })
    emulator.faults.add({ fault: 'status', match: { operation: 'get*' }, calls: 2, status: 503 })
    const client = clientOf(emulator)
    const job = await startJob(client, (await createModel(client, 'critic')).id)
    emulator.clock.advance('5m')
    for (let poll = 0; poll < 3; poll++) await client.get(`/preview/training-jobs/${job}`)
    writeFileSync('run.har', JSON.stringify(await emulator.har({ contents: 'redacted' })))
    await emulator.close()
    const { stdout, stderr } = await run('scenarios from run.har --to again.yaml')
    expect(stderr).toBe(
      '1 answer was changed by added fault 1 (edit); the scenario does not have that.',
    )
    expect(stdout).toContain('exec --scenario ./again.yaml --clock real -- <your test>')
  })

  it('advises --partial for a job whose last call was refused, and no service for a report', async () => {
    workIn(temporaryFolder())
    const emulator = createEmulator({ clock: 'manual' })
    const client = clientOf(emulator)
    const job = await startJob(client, (await createModel(client, 'critic')).id)
    await client.get(`/preview/training-jobs/${job}`)
    writeFileSync('early.html', await emulator.report())
    emulator.faults.add({ fault: 'status', status: 503 })
    await client.get(`/preview/training-jobs/${job}`)
    writeFileSync('refused.html', await emulator.report())
    await emulator.close()
    const adviceFor = async (file: string): Promise<string[]> => {
      return (await run(`scenarios from ${file}`)).stderr.split('\n').slice(2)
    }
    const again = 'Write the file again when it is over.'
    const anyway = 'the scenario is written anyway. Its first lines say what such a job does.'
    expect(await adviceFor('early.html')).toEqual([again, `With --partial, ${anyway}`])
    expect(await adviceFor('refused.html')).toEqual([
      `The client stopped after a call that was refused with 503: add --partial, and ${anyway}`,
      again,
    ])
  })

  it('keeps the program and the options of the command that wrote a report or a log', async () => {
    workIn(temporaryFolder())
    const emulator = createEmulator({ clock: 'manual', scenario: 'failing-job', seed: 7 })
    await startJob(clientOf(emulator), (await createModel(clientOf(emulator), 'critic')).id)
    const words = `--scenario failing-job --clock 20x --seed 7 --intercept -- python 'my "loop".py'`
    writeFileSync(
      'page.html',
      await emulator.report({ reproduce: `svtrain-emulator exec ${words}` }),
    )
    const [options, program] = words.split(' -- ')
    const log = `Run it again:\n  svtrain-emulator exec ${options} \\\n    -- ${program}\n`
    writeFileSync('ci.log', `${log}${emulator.trace()}\n`)
    await emulator.close()
    for (const [file, seed] of [
      ['page.html --partial', ''],
      ['ci.log', ' --seed 7'],
    ]) {
      const { stdout } = await run(`scenarios from ${file} --to again.yaml --force`)
      expect(stdout.split(' with it: ')[1]).toBe(
        `npx svtrain-emulator exec --scenario ./again.yaml${seed} --clock 20x --intercept -- python 'my "loop".py'`,
      )
    }
  })

  it('takes a snapshot, a data folder and the trace of a failed test: the scenario that was played, and its seed', async () => {
    const where = temporaryFolder()
    workIn(where)
    const started = { clock: 'manual', scenario: 'failing-job', seed: 7, data: 'world' } as const
    const emulator = createEmulator(started)
    const client = clientOf(emulator)
    const { id } = await createModel(client, 'critic')
    const job = await startJob(client, id)
    emulator.clock.advance('5m')
    const happened = await listEvents(client, job)
    writeFileSync('state.json', JSON.stringify(await emulator.snapshot()))
    writeFileSync('ci.log', `FAIL test/loop.test.ts\n    ${emulator.trace()}\n`)
    await emulator.close()
    for (const file of ['state.json', 'world', 'world/world.ndjson', 'ci.log']) {
      const { code, stdout } = await run(`scenarios from ${file} --to again.yaml --force`)
      expect([code, stdout]).toEqual([
        0,
        'Wrote again.yaml. Try it: npx svtrain-emulator play ./again.yaml --seed 7\n' +
          'Then run your test with it: npx svtrain-emulator exec --scenario ./again.yaml --seed 7 --clock instant -- <your test>',
      ])
      const text = readFileSync('again.yaml', 'utf8')
      expect(text).toContain(
        `# The scenario "failing-job" of ${file}, which was played with seed 7.`,
      )
      // A trace does not say what was submitted.
      const played = file === 'ci.log' ? undefined : { jobs: [{ model: 'critic' }] }
      expect(parse(text).play).toEqual(played)
      const again = createEmulator({
        clock: 'manual',
        scenario: checkScenario(parse(text)),
        seed: 7,
      })
      const other = clientOf(again)
      const same = await startJob(other, (await createModel(other, 'critic')).id)
      again.clock.advance('5m')
      expect(await listEvents(other, same)).toEqual(happened)
      await again.close()
    }
  })

  it('sends the webhooks of a run to a sink in the command that comes next', async () => {
    const emulator = createEmulator({ scenario: 'webhook-storm' })
    expect(await madeOf(emulator, ' --to storm.yaml')).toMatch(
      /exec --scenario \.\/storm\.yaml --seed 1 --clock instant --sink -- <your/,
    )
  })

  it('says how to continue from a data folder, that it has no worlds, and why it cannot be read', async () => {
    workIn(temporaryFolder())
    const emulator = createEmulator({ data: 'world' })
    await emulator.jobs.start()
    await emulator.close()
    const { stdout } = await run('scenarios from world')
    expect(stdout).toContain(
      '# It plays from the start. To continue from its state instead, start the emulator with --data world.',
    )
    expect(await run('scenarios from world --world world-1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"world" has no worlds.'),
    })
    writeFileSync('world/world.ndjson', 'damaged\n'.repeat(3))
    expect(await run('scenarios from world')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Failed to read .*world\.ndjson/),
    })
  })

  it('keeps the faults of a snapshot that were added while it ran', async () => {
    const own = { fault: 'drop', calls: 9 } as const
    const scenario = checkScenario({ name: 'faulty', faults: [own] })
    const emulator = createEmulator({ clock: 'manual', scenario })
    emulator.faults.add({ fault: 'status', status: 503, calls: 2 })
    emulator.faults.for({ model: 'critic' }).add({ fault: 'hang', name: 'mute' })
    const stdout = await madeOf(emulator)
    expect(parse(stdout).faults).toEqual([
      { fault: 'hang', name: 'mute', match: { model: 'critic' } },
      { fault: 'status', name: 'added fault 1', status: 503, calls: 2 },
      { ...own, name: 'fault 1' },
    ])
    expect(stdout).toContain('# Faults that were added while it ran are here from the start')
  })

  it.each([
    ['503 of the scenario, and then 500', { calls: 1 }, 1, [503, 500, 500]],
    ['500 in place of 503', {}, 0, [500, 500]],
  ])('keeps which fault of a snapshot came first: %s', async (_what, some, before, expected) => {
    const own = { fault: 'status', status: 503, ...some } as const
    const scenario = checkScenario({ name: 'faulty', faults: [own] })
    const emulator = createEmulator({ clock: 'manual', scenario })
    const statusesOf = async (made: Emulator, calls: number): Promise<number[]> => {
      const statuses: number[] = []
      for (let call = 0; call < calls; call++) {
        statuses.push((await clientOf(made).get('/preview/base-models')).status)
      }
      return statuses
    }
    const first = await statusesOf(emulator, before)
    emulator.faults.add({ fault: 'status', status: 500 })
    const then = await statusesOf(emulator, expected.length - before)
    expect([...first, ...then]).toEqual(expected)
    const scenarioAgain = checkScenario(parse(await madeOf(emulator)))
    const again = createEmulator({ clock: 'manual', scenario: scenarioAgain })
    expect(await statusesOf(again, expected.length)).toEqual(expected)
    await again.close()
  })

  it('refuses the trace of a scenario that it does not hold', async () => {
    const file = join(temporaryFolder(), 'ci.log')
    writeFileSync(file, 'What happened (scenario "mine", seed 3, clock auto):\n  +0.00s  …')
    const { code, stderr } = await run(`scenarios from ${file}`)
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/"mine" with seed 3\. .* Play its file with --seed 3\./),
    ])
  })

  it('leaves the keys and secrets of a snapshot out', async () => {
    workIn(temporaryFolder())
    const scenario = checkScenario({
      name: 'keyed',
      auth: { keys: { 'local-key-0123456789': { entity: 'team' } } },
      secrets: { signing: 's3cret-of-a-team' },
    })
    const emulator = createEmulator({ clock: 'manual', scenario, data: 'world' })
    writeFileSync('state.json', JSON.stringify(await emulator.snapshot()))
    await emulator.close()
    const { stdout } = await run('scenarios from state.json --to keyed.yaml')
    expect(stdout).toContain('keyed.yaml')
    expect((await run('scenarios from world')).stdout).not.toMatch(/local-key-0|s3cret-of/)
    const yaml = readFileSync('keyed.yaml', 'utf8')
    expect(yaml).toContain('Keys and secrets are left out.')
    expect(yaml).not.toMatch(/local-key-0123456789|s3cret-of-a-team/)
    // The file can be used, and says what to write.
    const left =
      '[not shown] counts as the value itself at auth.keys.[not shown] 1, secrets.signing.'
    const checked = await run('scenarios check keyed.yaml')
    expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining(left)])
  })

  it('writes no default values of a snapshot whose secrets were left out', async () => {
    workIn(temporaryFolder())
    const scenario = checkScenario({
      name: 'signed',
      secrets: { SIGNING: 's3cret-of-a-team' },
      webhooks: [{ name: 'deploy', secret: 'SIGNING' }],
    })
    const emulator = createEmulator({ clock: 'manual', scenario })
    writeFileSync('state.json', JSON.stringify(await emulator.snapshot({ secrets: false })))
    await emulator.close()
    const { stdout } = await run('scenarios from state.json')
    expect(parse(stdout)).toEqual({
      name: 'signed',
      secrets: { SIGNING: '[not shown]' },
      webhooks: [{ name: 'deploy', secret: 'SIGNING' }],
    })
  })

  it('refuses other files, and says what a recording is', async () => {
    const { code, stderr } = await run(`scenarios from ${join(saved(), 'gone')}`)
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /there is no such file in .*\. Expected a recording of `svtrain-emulator record`/,
    )
    expect(await refused('scenarios from events.json --to mine.txt')).toMatchObject({
      message: '--to takes a file that ends with .yaml, not "mine.txt".',
    })
  })
})

describe('scenarios from --job', () => {
  const KEY = 'local-key-of-the-service-0123456789'

  /** A service on a port, with a job that began this long ago, and a key that it accepts. */
  async function service(ago: string): Promise<{ url: string; job: string }> {
    const { name: _name, ...failing } = builtInScenario('failing-job')
    const scenario = checkScenario({ ...failing, name: 'service', auth: { keys: { [KEY]: {} } } })
    const emulator = await listening({ clock: 'manual', scenario })
    const { trainingUrl: url } = emulator
    const options = withKey(KEY)
    const client = clientOf(emulator)
    const { id } = await createModel(client, 'critic', options)
    const job = await startJob(client, id, groups, options)
    emulator.clock.advance(ago)
    return { url, job }
  }

  function keyIs(key: string | undefined): void {
    for (const name of ['SVTRAIN_API_KEY', 'WANDB_API_KEY']) vi.stubEnv(name, undefined)
    vi.stubEnv('SVTRAIN_API_KEY', key)
    onTestFinished(() => void vi.unstubAllEnvs())
  }

  it('writes the scenario of a job that exists in the service', async () => {
    const { url, job } = await service('5m')
    keyIs(KEY)
    workIn(temporaryFolder())
    const { code, stdout } = await run(
      `scenarios from --job ${job} --url ${url} --to incident.yaml`,
    )
    expect([code, stdout]).toEqual([
      0,
      'Wrote incident.yaml. Try it: npx svtrain-emulator play ./incident.yaml\n' +
        'Then run your test with it: npx svtrain-emulator exec --scenario ./incident.yaml --clock instant -- <your test>',
    ])
    const text = readFileSync('incident.yaml', 'utf8')
    expect(text).not.toContain(KEY)
    const { name, jobs } = checkScenario(parse(text))
    expect(name).toBe('incident')
    expect(jobs[0]!.timeline.map(({ event }) => event)).toEqual([
      'training_started',
      'gradient_step',
      'training_failed',
    ])
  })

  it('says what is wrong with the address or the id first, and not with the key', async () => {
    const emulator = await listening({ clock: 'manual' })
    keyIs('any-key-0123456789')
    const messageOf = async (words: readonly string[]) => {
      const { code, stdout, stderr } = await run(['scenarios', 'from', '--job', ...words])
      expect([code, stdout]).toEqual([2, ''])
      return stderr
    }
    const { trainingUrl: url, inferenceUrl } = emulator
    const longer = `${url}/preview/training-jobs`
    const isLonger = `--url ${longer} does not end with /v1, where the API begins. If calls get 404, use ${url}.\n`
    expect(await messageOf(['a', '--url', longer])).toContain(isLonger)
    for (const other of [inferenceUrl, longer]) {
      const message = await messageOf(['a', '--url', other])
      expect(message).toContain(`, so this is probably not the training API. --url is ${other};`)
      expect(message).not.toContain('key')
    }
    const ofCheckpoint = await messageOf(['poet:step1', '--url', url])
    expect(ofCheckpoint).toContain('This is the name of a checkpoint: `svtrain-emulator trace')
    const unknown = await messageOf([' 5d0c1f5e-0000-4000-8000-000000000000 ', '--url', url])
    expect(unknown).toMatch(/^The service has no job "5d0c1f5e-0000-4000-8000-000000000000" for/)
    expect(unknown).toContain('Models, checkpoints and deliveries have others.')
    await expect(messageOf([' ', '--url', url])).rejects.toThrow(
      '--job takes the id of a job, not " ".',
    )
  })

  it('needs a key, an address, and no file', async () => {
    keyIs(undefined)
    const messageOf = async (line: string) => (await refused(`scenarios from ${line}`)).message
    const url = 'http://127.0.0.1:9/v1'
    expect(await messageOf(`--job a --url ${url}`)).toBe(
      '--job needs your API key of the service. Set SVTRAIN_API_KEY or WANDB_API_KEY, which is never printed.',
    )
    expect(await messageOf('--job a')).toMatch(/^--job takes the base URL of the service as --url/)
    expect(await messageOf('--job a --url http://api.example.com/v1')).toMatch(/has no TLS/)
    expect(await messageOf(`har.json --job a --url ${url}`)).toMatch(/a file or --job, not both/)
    expect(await messageOf(`har.json --url ${url}`)).toBe('--url is for --job; none was given.')
    expect(await messageOf('--name a')).toMatch(/takes a file or --job; none was given/)
  })
})

describe('scenarios check', () => {
  it('accepts the built-in scenarios', async () => {
    workIn(folder)
    const { code, stdout, stderr } = await run(`scenarios check ${files.join(' ')}`)
    expect(stderr).toBe('')
    expect(stdout.split('\n')).toEqual(files.map((file) => `${file}: fine`))
    expect(code).toBe(0)
  })

  it('says which webhooks no event reaches, and what is sent without a payload', async () => {
    workIn(temporaryFolder())
    const automation = { name: 'over', event: 'RUN_STATE', webhook: 'deploy' }
    const scenario = { name: 'a', webhooks: [{ name: 'deploy' }], automations: [automation] }
    const payload = { run: '${run_name}' }
    const other = { ...automation, name: 'off', webhook: 'pager', enabled: false }
    const scenarios = {
      bare: scenario,
      full: { ...scenario, automations: [{ ...automation, payload }] },
      idle: { name: 'b', webhooks: [{ name: 'pager' }], automations: [other] },
    }
    for (const [name, content] of Object.entries(scenarios)) {
      writeFileSync(`${name}.yaml`, JSON.stringify(content))
    }
    expect(await run('scenarios check bare.yaml full.yaml idle.yaml')).toEqual({
      code: 0,
      stdout: [
        'bare.yaml: fine',
        '  The automation "over" has no payload, so its receiver gets {}.',
        'full.yaml: fine',
        'idle.yaml: fine',
        '  No automation calls the webhook "pager", so no event is sent to it.',
      ].join('\n'),
      stderr: '',
    })
  })

  it('reports all problems with their positions, in all files', async () => {
    workIn(temporaryFolder())
    writeFileSync('bad.yaml', 'name: bad\nseeed: 1\njobs:\n  - timeline: []\n')
    writeFileSync('good.yaml', 'name: good\n')
    const { code, stdout, stderr } = await run('scenarios check bad.yaml none.yaml good.yaml')
    expect(code).toBe(2)
    expect(stdout).toBe('good.yaml: fine')
    expect(stderr).toContain('bad.yaml:2:1 ')
    expect(stderr).toContain('Did you mean "seed"?')
    expect(stderr).toContain('bad.yaml:4:')
    expect(stderr).toContain('none.yaml: there is no such file')
  })

  it.skipIf(process.platform === 'win32')('names a file with a line break as a whole', async () => {
    workIn(temporaryFolder())
    const path = 'bad:\nworse.yaml'
    writeFileSync(path, 'seeed: 1\n')
    const { code, stderr } = await run(`scenarios check ${path}`)
    expect(code).toBe(2)
    expect(stderr.split('\n')[0]).toBe('bad:\\u000aworse.yaml cannot be used: 2 problems')
  })

  it.each([
    ['jobs: 3', 'hook', '1 problem; others may show once it is mended'],
    ['seeed: 1', 'hook', '1 problem; others may show once it is mended'],
    ['seed: 1', 'hok', '1 problem'],
  ])(
    'says whether other problems may show, with %s and the secret %s',
    async (line, used, found) => {
      workIn(temporaryFolder())
      const hook = `secrets: { hook: abc }\nwebhooks: [{ name: ops, secret: ${used} }]`
      writeFileSync('bad.yaml', `name: bad\n${hook}\n${line}\n`)
      const { stderr } = await run('scenarios check bad.yaml')
      expect(stderr.split('\n')[0]).toBe(`bad.yaml cannot be used: ${found}`)
    },
  )
})

describe('scenarios new', () => {
  beforeEach(() => workIn(temporaryFolder()))

  it.each(['mine', '123', 'null', 'a_b-c'])('%s writes a valid file', async (name) => {
    expect(await run(`scenarios new ${name}`)).toMatchObject({ code: 0, stderr: '' })
    expect(parse(readFileSync(`${name}.yaml`, 'utf8'))).toMatchObject({ name })
    expect(await run(`scenarios check ${name}.yaml`)).toMatchObject({ code: 0 })
    const { stdout } = await run(`play ./${name}.yaml`)
    expect(stdout).toContain('failed after 6.0s: out of patience')
    expect(stdout).toContain('with checkpoint 1')
  })

  it('overwrites no file', async () => {
    writeFileSync('mine.yaml', 'kept')
    expect((await refused('scenarios new mine')).message).toMatch(/^mine\.yaml exists already\./)
    expect(readFileSync('mine.yaml', 'utf8')).toBe('kept')
  })

  it.each(['mine.yaml', 'mine.YML'])('accepts %s, with its ending', async (name) => {
    expect((await run(`scenarios new ${name}`)).stdout).toContain(`Wrote ${name}.`)
    expect(readFileSync(name, 'utf8')).toMatch(/^name: mine$/m)
  })

  it('refuses another ending', async () => {
    expect((await refused('scenarios new mine.json')).message).toBe(
      '"mine.json" is not a YAML file. Leave the ending out, or write .yaml.',
    )
    expect(readdirSync('.')).toEqual([])
  })

  it.each(['../mine', 'a/b', '.mine', 'x'.repeat(65), 'ä'])('refuses the name %s', async (name) => {
    expect(await refused(`scenarios new ${name}`)).toMatchObject({ command: 'scenarios new' })
    expect(readdirSync('.')).toEqual([])
  })
})
