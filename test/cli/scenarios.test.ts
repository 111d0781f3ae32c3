import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createEmulator } from '../../src/index.js'
import { builtInScenarios } from '../../src/service/scenario/all-built-in-scenarios.js'
import { builtInScenario } from '../../src/service/scenario/built-in-scenarios.js'
import { checkScenario } from '../../src/service/scenario/check-scenario.js'
import { clientOf } from '../support/api-client.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { createModel, listEvents, startJob } from '../support/trainer.js'
import { refused, run, workIn } from './commands.js'

const folder = join(import.meta.dirname, '..', '..', 'scenarios')
const files = readdirSync(folder)

describe('scenarios list', () => {
  it('has one line for each scenario', async () => {
    const { stdout } = await run('scenarios list')
    for (const { name, description } of builtInScenarios) {
      expect(stdout).toMatch(new RegExp(`^${name} +`, 'm'))
      expect(stdout).toContain(description)
    }
  })

  it('prints JSON with --json', async () => {
    const { stdout } = await run('scenarios list --json')
    expect(JSON.parse(stdout)).toEqual(
      builtInScenarios.map(({ name, description }) => ({ name, description })),
    )
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
    expect((await write()).stdout).toBe(`Wrote ${to}. Try it: npx svtrain-emulator play ${to}`)
    expect((await run(`scenarios check ${to}`)).code).toBe(0)
    expect(await refused(`scenarios from ${file} --to ${to} --name other`)).toEqual({
      message: `${to} exists already. Choose another file, or replace it with --force.`,
      command: 'scenarios from',
    })
    expect(readFileSync(to, 'utf8')).toContain('name: mine')
    expect((await write(' --name other --force')).code).toBe(0)
    expect(readFileSync(to, 'utf8')).toContain('name: other')
  })

  it('writes nothing and exits with 1 if nothing shows how a job ended', async () => {
    const where = temporaryFolder()
    const file = join(where, 'half.json')
    const to = join(where, 'half.yaml')
    writeFileSync(file, JSON.stringify(events.slice(0, 1)))
    const { code, stdout, stderr } = await run(`scenarios from ${file} --to ${to}`)
    expect([code, stdout, existsSync(to)]).toEqual([1, '', false])
    expect(stderr).toBe(
      `${file} does not show how one job ended, so no scenario is written:\n` +
        '  The job: the last of its events is training_started.\n' +
        'Save its events again when it is over.\n' +
        'With --partial, the scenario is written anyway. Its first lines say what such a job does.',
    )
    expect((await run(`scenarios from ${file}`)).stdout).toBe('')
  })

  it('writes a partial scenario with --partial, which says so at its top', async () => {
    const where = temporaryFolder()
    const file = join(where, 'half.json')
    const to = join(where, 'half.yaml')
    writeFileSync(file, JSON.stringify(events.slice(0, 1)))
    const { code, stderr } = await run(`scenarios from ${file} --to ${to} --partial`)
    expect(code).toBe(0)
    expect(stderr).toContain('does not show how one job ended, so the scenario is partial:')
    const text = readFileSync(to, 'utf8')
    expect(text.split('\n')[1]).toBe('# Partial: nothing shows how the job ended.')
    expect(checkScenario(parse(text)).jobs[0]!.timeline.at(-1)).toEqual({
      event: 'training_failed',
      after: '1s',
      error_message: 'not in the recording: how this job ended',
    })
  })

  it('takes the HAR file and the report of a run', async () => {
    const emulator = createEmulator({ clock: 'manual', scenario: 'failing-job' })
    const where = temporaryFolder()
    const client = clientOf(emulator)
    const { id } = await createModel(client, 'critic')
    const job = await startJob(client, id)
    emulator.clock.advance('5m')
    await listEvents(client, job)
    writeFileSync(join(where, 'Run-7.har'), JSON.stringify(await emulator.har()))
    writeFileSync(join(where, 'Run-7.html'), await emulator.report())
    await emulator.close()
    workIn(where)
    const [har, page] = [
      await run('scenarios from Run-7.har'),
      await run('scenarios from Run-7.html'),
    ]
    expect([har.code, page.code]).toEqual([0, 0])
    expect(page.stdout.replace('7.html', '7.har')).toBe(har.stdout)
    const { name, jobs } = checkScenario(parse(har.stdout))
    expect(name).toBe('run-7')
    expect(jobs[0]!.timeline.at(-1)).toMatchObject({ event: 'training_failed' })
  })

  it('refuses other files, and says what a recording is', async () => {
    const { code, stderr } = await run(`scenarios from ${join(saved(), 'gone')}`)
    expect(code).toBe(2)
    expect(stderr).toMatch(/does not exist\. Expected a recording of `svtrain-emulator record`/)
    expect(await refused('scenarios from events.json --to mine.txt')).toMatchObject({
      message: '--to takes a file that ends with .yaml, not "mine.txt".',
    })
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
})

describe('scenarios new', () => {
  it.each(['mine', '123', 'null', 'a_b-c'])('%s writes a valid file', async (name) => {
    workIn(temporaryFolder())
    expect(await run(`scenarios new ${name}`)).toMatchObject({ code: 0, stderr: '' })
    expect(parse(readFileSync(`${name}.yaml`, 'utf8'))).toMatchObject({ name })
    expect(await run(`scenarios check ${name}.yaml`)).toMatchObject({ code: 0 })
    const { stdout } = await run(`play ./${name}.yaml`)
    expect(stdout).toContain('failed after 6.0s: out of patience')
    expect(stdout).toContain('with checkpoint 1')
  })

  it('overwrites no file', async () => {
    workIn(temporaryFolder())
    writeFileSync('mine.yaml', 'kept')
    expect((await refused('scenarios new mine')).message).toMatch(/^mine\.yaml exists already\./)
    expect(readFileSync('mine.yaml', 'utf8')).toBe('kept')
  })

  it.each(['mine.yaml', 'mine.YML'])('accepts %s, with its ending', async (name) => {
    workIn(temporaryFolder())
    expect((await run(`scenarios new ${name}`)).stdout).toContain(`Wrote ${name}.`)
    expect(readFileSync(name, 'utf8')).toMatch(/^name: mine$/m)
  })

  it('refuses another ending', async () => {
    workIn(temporaryFolder())
    expect((await refused('scenarios new mine.json')).message).toBe(
      '"mine.json" is not a YAML file. Leave the ending out, or write .yaml.',
    )
    expect(readdirSync('.')).toEqual([])
  })

  it.each(['../mine', 'a/b', '.mine', 'x'.repeat(65), 'ä'])('refuses the name %s', async (name) => {
    workIn(temporaryFolder())
    expect(await refused(`scenarios new ${name}`)).toMatchObject({ command: 'scenarios new' })
    expect(readdirSync('.')).toEqual([])
  })
})

interface Schema {
  title?: string
  description?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
}

describe('scenarios schema', () => {
  it('describes every key of the built-in scenarios', async () => {
    const schema = JSON.parse((await run('scenarios schema')).stdout) as Schema
    expect(schema.title).toBe('A scenario of svtrain-emulator')
    expect(schema.description).toBeTypeOf('string')
    for (const file of files) {
      const keys = Object.keys(parse(readFileSync(join(folder, file), 'utf8')) as object)
      expect(Object.keys(schema.properties!)).toEqual(expect.arrayContaining(keys))
    }
  })

  it('has no branch that allows any value', async () => {
    const { stdout } = await run('scenarios schema')
    JSON.parse(stdout, (key, value: Schema[]) => {
      if (key === 'anyOf' || key === 'oneOf') expect(value).not.toContainEqual({})
      return value
    })
    const schema = JSON.parse(stdout) as Schema
    const job = schema.properties!['jobs']!.items!
    expect(Object.keys(job.properties!['match']!.properties!)).toContain('ordinal')
  })
})
