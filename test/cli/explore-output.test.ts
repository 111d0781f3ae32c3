import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { scenarioText } from '../../src/cli/tools/explore/failure-file.js'
import { parseXml } from './failure/read-junit.js'
import { RunningProcess } from '../support/running-process.js'
import { temporaryFolderOfSuite } from '../support/temporary-folder.js'
import { assertBuilt } from './command.js'
import { argumentsFor, blindRetry, client, explore } from './explored-program.js'
import { endedInProcess, type Ended } from './in-process.js'

beforeAll(assertBuilt)

describe('what explore prints and writes of one mistake', { timeout: 120_000 }, () => {
  const folder = temporaryFolderOfSuite()
  const fileOf = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const name = '1-create-rl-training-job-was-repeated-blindly'
  const file = `explore-report/${name}.yaml`
  let ended: Ended

  beforeAll(async () => {
    const outputs = ['--junit=out/explore.xml', '--report=out/explore.html']
    const options = ['--only=commit-then-fail', '--skip=faults', '--seed=3', ...outputs]
    const program = `${blindRetry} console.log('the end')`
    mkdirSync(join(folder, 'explore-report'))
    const command = 'npx svtrain-emulator exec --seed 1 -- node loop.mjs'
    const earlier = scenarioText({ title: 'jobs twice', yaml: 'name: twice\n' }, command)
    writeFileSync(join(folder, 'explore-report', '7-jobs-twice.yaml'), earlier)
    writeFileSync(join(folder, 'explore-report', '8-mine.yaml'), 'name: mine\n')
    ended = await endedInProcess(argumentsFor(program, { folder, options }), { cwd: folder })
  })

  it('prints the runs, the failure and how many there are', () => {
    const { code, stdout, stderr } = ended
    expect(stderr).toBe('')
    expect(code).toBe(1)
    expect(stdout).toMatch(/^ run {2}what was tried {4}verdict +time {2}why$/m)
    expect(stdout).toMatch(
      /^ {3}2 {2}commit-then-fail {2}client check +\S+ {2}1: job \S+… is a duplicate/m,
    )
    expect(stdout).toMatch(/^Failure 1: createRlTrainingJob was repeated blindly/m)
    expect(stdout).toContain(
      '\nexplore-report also has 1 failure of earlier explorations: 7-jobs-twice\n',
    )
    expect(stdout).toMatch(/^2 runs in \S+ with seed 3: 1 passed, 1 broke a client check\.$/m)
  })

  it('writes the smallest scenario with a command that repeats it', async () => {
    expect(readdirSync(join(folder, 'explore-report'))).toEqual([
      `${name}.log`,
      `${name}.yaml`,
      '7-jobs-twice.yaml',
      '8-mine.yaml',
    ])
    const yaml = fileOf(file)
    const [, again = ''] = /^# npx (svtrain-emulator exec --.*)$/m.exec(yaml) ?? []
    expect(again).toContain(`--scenario ${file}`)
    expect(again).toMatch(/ --timeout \S+ /)
    expect(again).toContain('--seed 3')
    expect(ended.stdout).toContain(again)
    const scenario = yaml.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(scenario.length).toBeLessThanOrEqual(10)
    expect(parse(yaml)).toMatchObject({ faults: [{ match: { operation: 'createRlTrainingJob' } }] })

    const checked = await endedInProcess(['scenarios', 'check', file], { cwd: folder })
    expect(checked).toEqual({ code: 0, stdout: `${file}: fine\n`, stderr: '' })
    const repeated = shell(again, folder)
    expect(await repeated.ended()).toBe(1)
    expect(repeated.stderr).toContain(' exited with code 0, but the client checks found 1 mistake.')
  })

  it('writes JUnit XML', () => {
    expect(ended.stdout).toContain(
      'Wrote out/explore.xml. The folder out is new.\nWrote out/explore.html.\n',
    )
    const [suite] = parseXml(fileOf('out/explore.xml')).children
    const cases = suite!.children.filter(({ name: tag }) => tag === 'testcase')
    expect(cases.map(({ attributes, children }) => [attributes.name, children[0]?.name])).toEqual([
      ['1 happy-path', undefined],
      ['2 commit-then-fail', 'failure'],
    ])
    expect(cases[1]!.children[1]).toMatchObject({ name: 'system-out', text: 'the end\n' })
  })

  it('writes a page', () => {
    const page = fileOf('out/explore.html')
    expect(page).toContain('<meta http-equiv="Content-Security-Policy"')
    expect(page).not.toMatch(/<script|https?:\/\/(?!127\.0\.0\.1|json-schema)|style="/)
    expect(page).toContain('commit-then-fail')
    expect(page).toContain('npx svtrain-emulator exec ')
    expect(page).toContain('What happened in the emulator')
    expect(page).toContain('the end')
  })
})

/** Runs a command with a shell. */
function shell(line: string, cwd: string): RunningProcess {
  const program = join(import.meta.dirname, '..', '..', 'bin', 'svtrain-emulator.js')
  const written = line.replace(/^svtrain-emulator/, `'${process.execPath}' '${program}'`)
  const { PATH } = process.env
  return new RunningProcess('sh', ['-c', written], { cwd, env: { PATH } })
}

describe('what explore prints and writes', { timeout: 120_000 }, () => {
  it('warns once if WANDB_API_KEY is set, with the command line that removes it', async () => {
    const { code, stdout, stderr } = await explore(
      `${client} await retry(() => ask(5000))`,
      ['--only=failing-job,fails-late', '--runs=2', '--json'],
      { WANDB_API_KEY: 'h'.repeat(40) },
    )
    expect(code).toBe(0)
    expect(stderr.match(/^Warning: WANDB_API_KEY is set\./gm)).toHaveLength(1)
    expect(stderr.replace(process.execPath, 'node')).toContain(
      '\n  env -u WANDB_API_KEY npx svtrain-emulator explore --only failing-job --only fails-late --runs 2 --json -- node loop.mjs\n',
    )
    expect(stdout).not.toContain('h'.repeat(40))
  })

  it('shows no secrets', async () => {
    const program = `${blindRetry}
      console.error(process.env.SVTRAIN_API_KEY, process.env.MY_TOKEN, process.env.OWN_TOKEN)
      process.exit(1)`
    const options = [
      '--only=happy-path',
      '--json',
      '--api-key=my-key-123',
      '--env=MY_TOKEN=my-token-123-that-is-long',
      '--webhook=http://127.0.0.1:{port}/',
      '--webhook-secret=my-secret-123',
    ]
    const own = { OWN_TOKEN: 'my-own-123-that-is-long' }
    const { code, stdout, stderr } = await explore(program, options, own)
    expect(code).toBe(2)
    expect(stderr).toContain('[not shown] [not shown] [not shown]')
    expect(stdout + stderr).not.toMatch(/my-\w+-123/)
  })
})
