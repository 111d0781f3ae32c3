import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { chooseScenario } from '../../src/cli/choose-scenario.js'
import { followScenario } from '../../src/cli/follow-scenario.js'
import { terminalOf } from '../../src/cli/terminal.js'
import { createEmulator } from '../../src/index.js'
import type { Scenario } from '../../src/service/scenario/scenario.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

it('only the latest of several reloads counts, and none after the end', async () => {
  const file = join(temporaryFolder(), 'mine.yaml')
  const write = (seed: number): void => writeFileSync(file, `name: mine\nseed: ${seed}\n`)
  write(1)
  await using emulator = createEmulator()
  const waiting: (() => void)[] = []
  const load = () => new Promise((resolve) => waiting.push(() => resolve(undefined)))
  const slow = {
    checks: { load },
    journal: emulator.journal,
    revise: (scenario: Scenario) => emulator.revise(scenario),
  }
  const lines: string[] = []
  const stream = {
    write: (text: string) => lines.push(text) > 0,
    isTTY: false,
    columns: 0,
    rows: 0,
  }
  const stop = followScenario([file], slow as never, terminalOf(stream, stream, {}))
  const reloads = () => emulator.trace().split('reloaded').length - 1
  for (const begun of [1, 2]) {
    write(begun + 1)
    await until('a reload has begun', () => waiting.length === begun)
  }
  waiting[1]!()
  await until('it has ended', () => reloads() === 1)
  waiting[0]!()
  write(4)
  await until('another one has begun', () => waiting.length === 3)
  stop()
  waiting[2]!()
  await chooseScenario(file)
  expect(reloads()).toBe(1)
  expect(emulator.scenario.seed).toBe(3)
  expect(lines).toEqual([])
})
