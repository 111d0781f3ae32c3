import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ExploreReport } from '../../src/tools/explore/exploration.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { assertBuilt, Command } from './command.js'

beforeAll(assertBuilt)

describe('explore, of a whole training loop', { timeout: 120_000 }, () => {
  // The soak explores both loops with everything: test/soak/explore.test.ts.
  it.each([
    ['five-bugs.mjs', 1, ['(duplicateJobs)', 'ChatCompletion was refused with 404']],
    ['careful.mjs', 0, []],
  ])('tells a loop with bugs from a careful one: %s', async (loop, code, titles) => {
    const path = join(import.meta.dirname, '..', 'tools', 'explore', 'loops', loop)
    const options = ['--only=commit-then-fail,checkpoint-not-served', '--json']
    const command = new Command(
      ['explore', ...options, '--webhook=http://127.0.0.1:{port}/', '--', process.execPath, path],
      { cwd: temporaryFolder() },
    )
    expect(await command.ended()).toBe(code)
    const { failures } = JSON.parse(command.stdout) as ExploreReport
    for (const title of titles) {
      const failure = failures.find((each) => each.title.includes(title))
      expect({ title, lines: failure && failure.yaml.trimEnd().split('\n').length <= 10 }).toEqual({
        title,
        lines: true,
      })
    }
  })

  it('allows the same batch in two steps of a loop that saw the first job end', async () => {
    const path = join(import.meta.dirname, '..', 'tools', 'explore', 'loops', 'same-answers.mjs')
    const scenario = join(temporaryFolder(), 'one-answer.yaml')
    writeFileSync(scenario, 'name: one-answer\nchat: { rules: [{ answer: A line. }] }\n')
    const command = new Command(
      ['explore', '--scenario', scenario, '--only=one-answer', '--', process.execPath, path],
      { cwd: temporaryFolder() },
    )
    expect(await command.ended()).toBe(0)
    expect(command.stdout).toMatch(/^Passed \(2\): happy-path, one-answer$/m)
  })
})
