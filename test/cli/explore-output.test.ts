import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ExploreReport } from '../../src/tools/explore/exploration.js'
import { parseXml } from '../support/junit.js'
import { assertBuilt } from './command.js'
import { blindRetry, client, explore } from './explored-program.js'

beforeAll(assertBuilt)

describe('what explore prints and writes', { timeout: 120_000 }, () => {
  it('warns once if WANDB_API_KEY is set, with the command line that removes it', async () => {
    const command = explore(
      `${client} await retry(() => call('base-models'))`,
      ['--only=happy-path,rate-limited', '--runs=2', '--json'],
      { env: { WANDB_API_KEY: 'hush-hush' } },
    )
    expect(await command.ended()).toBe(0)
    expect(command.stderr.replace(process.execPath, 'node')).toBe(
      [
        'Warning: WANDB_API_KEY is set. A client that finds it calls other servers with it after each job, or fails there although the job went well.',
        'Run the command without it:',
        '  env -u WANDB_API_KEY npx svtrain-emulator explore --only happy-path --only rate-limited --runs 2 --json -- node loop.mjs',
        'Then pass the value of SVTRAIN_API_KEY to the client as its key. Read more: npx svtrain-emulator docs python',
        '',
      ].join('\n'),
    )
    expect(command.stdout).not.toContain('hush-hush')
  })

  it('writes JUnit XML and a page', async () => {
    const program = `${blindRetry} console.log('the end')`
    const command = explore(program, [
      '--only=commit-then-fail',
      '--skip=faults',
      '--junit=out/explore.xml',
      '--report=out/explore.html',
    ])
    expect(await command.ended()).toBe(1)
    expect(command.stdout).toContain('Wrote out/explore.xml.\nWrote out/explore.html.\n')
    const [suite] = parseXml(readFileSync(join(command.folder, 'out/explore.xml'), 'utf8')).children
    const cases = suite!.children.filter(({ name }) => name === 'testcase')
    expect(cases.map(({ attributes, children }) => [attributes.name, children[0]?.name])).toEqual([
      ['1 happy-path', undefined],
      ['2 commit-then-fail', 'failure'],
    ])
    expect(cases[1]!.children[1]).toMatchObject({ name: 'system-out', text: 'the end\n' })
    const page = readFileSync(join(command.folder, 'out/explore.html'), 'utf8')
    expect(page).toContain('<meta http-equiv="Content-Security-Policy"')
    expect(page).not.toMatch(/<script|https?:\/\/(?!127\.0\.0\.1|json-schema)|style="/)
    expect(page).toContain('commit-then-fail')
    expect(page).toContain('npx svtrain-emulator exec ')
    expect(page).toContain('What happened in the emulator')
    expect(page).toContain('the end')
  })

  it('prints only the report with --json', async () => {
    const command = explore(blindRetry, ['--only=commit-then-fail', '--json'])
    expect(await command.ended()).toBe(1)
    expect(command.stderr).toBe('')
    const report = JSON.parse(command.stdout) as ExploreReport
    expect(report).toMatchObject({
      seed: 1,
      ended: 'all_runs',
      failures: [{ number: 1, verdict: 'client_check', runs: [2] }],
    })
    const creation = report.coverage?.groups.find(({ name }) => name === 'createRlTrainingJob')
    const met = creation?.behaviors.filter(({ count }) => count > 0).map(({ id }) => id)
    expect(met).toEqual(['createRlTrainingJob/success', 'createRlTrainingJob/lostAfterWork'])
    expect(report.runs.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['happy-path', 'passed'],
      ['commit-then-fail', 'client_check'],
    ])
  })

  it('shows no secrets', async () => {
    const program = `${blindRetry}
      console.error(process.env.SVTRAIN_API_KEY, process.env.MY_TOKEN === 'my-token-123')
      process.exit(1)`
    const command = explore(program, [
      '--only=happy-path',
      '--json',
      '--api-key=my-key-123',
      '--env=MY_TOKEN=my-token-123',
      '--webhook=http://127.0.0.1:{port}/',
      '--webhook-secret=my-secret-123',
    ])
    expect(await command.ended()).toBe(2)
    expect(command.stderr).toContain('[not shown] true')
    expect(command.output).not.toMatch(/my-\w+-123/)
  })
})
