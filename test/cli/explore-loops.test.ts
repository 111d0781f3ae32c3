import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ExploreReport } from '../../src/tools/explore/exploration.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { assertBuilt, Command } from './command.js'
import { endedInProcess } from './in-process.js'

const loops = join(import.meta.dirname, '..', 'tools', 'explore', 'loops')

beforeAll(assertBuilt)

function failuresIn(command: Command): ExploreReport['failures'] {
  return (JSON.parse(command.stdout) as ExploreReport).failures
}

describe('explore, of a whole training loop', { timeout: 120_000 }, () => {
  // The soak explores both loops with everything: test/soak/explore.test.ts. The mistake that commit-then-fail shows is
  // in explore-output.test.ts.
  it('tells a loop with bugs from a careful one', async () => {
    const options = ['--only=checkpoint-not-served', '--json']
    const [buggy, careful] = ['five-bugs.mjs', 'careful.mjs'].map((loop) => {
      const path = join(loops, loop)
      return new Command(
        ['explore', ...options, '--webhook=http://127.0.0.1:{port}/', '--', process.execPath, path],
        { cwd: temporaryFolder() },
      )
    }) as [Command, Command]
    expect(await careful.ended()).toBe(0)
    expect(failuresIn(careful)).toEqual([])
    expect(await buggy.ended()).toBe(1)
    const failures = failuresIn(buggy)
    expect(failures.map(({ title }) => title)).toEqual([
      'createInferenceChatCompletion was refused with 404, and the code gave up',
    ])
    expect(failures[0]!.yaml.trimEnd().split('\n').length).toBeLessThanOrEqual(10)
  })

  it('allows the same batch in two steps of a loop that saw the first job end', async () => {
    const path = join(loops, 'same-answers.mjs')
    const scenario = join(temporaryFolder(), 'one-answer.yaml')
    writeFileSync(scenario, 'name: one-answer\nchat: { rules: [{ answer: A line. }] }\n')
    const { code, stdout } = await endedInProcess(
      ['explore', '--scenario', scenario, '--only=one-answer', '--', process.execPath, path],
      { cwd: temporaryFolder() },
    )
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Passed \(2\): happy-path, one-answer$/m)
  })
})
