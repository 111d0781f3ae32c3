import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { assertBuilt } from './command.js'
import { refused } from './commands.js'
import { client } from './explored-program.js'
import { endedInProcess, type Ended } from './in-process.js'

beforeAll(assertBuilt)

function preflight(program: string, ...options: string[]): Promise<Ended> {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'loop.mjs'), program)
  const args = ['preflight', ...options, '--', process.execPath, 'loop.mjs']
  return endedInProcess(args, { cwd: folder })
}

/** Trains two batches. The checkpoint says which one comes next, and each job is followed to its end. */
const careful = `${client}
  console.log('what it prints is not shown')
  const { id } = await call('models', { ...model, return_existing: true })
  for (;;) {
    const [{ step }] = (await call('models/' + id + '/checkpoints?limit=1&order=desc')).data
    if (step >= 2) break
    const trajectory_groups = [{ trajectories: [{ reward: step }, { reward: -1 }] }]
    await call('training-jobs', { model_id: id, trajectory_groups })
    for (let at = step; at <= step; ) {
      ;[{ step: at }] = (await call('models/' + id + '/checkpoints?limit=1&order=desc')).data
    }
  }
`

describe('preflight', { timeout: 120_000 }, () => {
  it('says go of a careful loop, as JSON as well', async () => {
    const options = ['--json', '--budget', '1k-tokens', '--clock', 'instant']
    const { code, stdout, stderr } = await preflight(careful, ...options)
    const report = JSON.parse(stdout)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(
      report.checks.map(({ name, state }: { name: string; state: string }) => [name, state]),
    ).toEqual([
      ['program', 'go'],
      ['calls', 'go'],
      ['data', 'go'],
      ['kill', 'go'],
      ['bill', 'go'],
    ])
    expect(report).toMatchObject({ go: true, command: [process.execPath, 'loop.mjs'] })
    expect(report.took).toHaveLength(2)
  })

  it('judges nothing of a program that calls nobody', async () => {
    const { code, stdout, stderr } = await preflight(`console.log('done')`)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/ ended, and never called the emulator\. Nothing can be judged\.$/m)
    expect(code).toBe(2)
  })

  it('says no-go of a program that fails, and how to see more', async () => {
    const { code, stdout } = await preflight(`throw new RangeError('no rows')`)
    expect(stdout).toContain('exit code 1 after')
    expect(stdout).toContain(
      ': RangeError: no rows\n  npx svtrain-emulator exec --intercept --clock auto -- ',
    )
    expect(stdout).toContain('No-go: program; not checked: data, kill.\n1 run took ')
    expect(code).toBe(1)
  })

  it.each([
    ['preflight', 'preflight takes a command after two dashes: preflight -- python train.py'],
    ['preflight --budget 5usd -- a', 'The budget "5usd" needs prices'],
    ['preflight --no-network --allow-host-out a.example -- a', 'Leave one of them out.'],
  ])('refuses %s', async (line, message) => {
    expect((await refused(line)).message).toContain(message)
  })
})
