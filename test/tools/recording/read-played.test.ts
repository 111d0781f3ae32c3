import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { readInput } from '../../../src/tools/recording/read-events.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

async function refusal(text: string, world?: string): Promise<unknown> {
  const file = join(temporaryFolder(), 'ci.log')
  writeFileSync(file, text)
  const refused: unknown = await readInput(file, { world }).catch((error: unknown) => error)
  return (refused as Error).message.replaceAll(file, 'ci.log')
}

it.each(['say "hi"', 'back\\slash', 'two\nlines'])(
  'a trace names the scenario %j, and is read as it was written',
  async (name) => {
    await using emulator = createEmulator({ scenario: { name }, seed: 7 })
    const text = `FAIL\n${emulator.trace()}\n`
    expect(await refusal(text)).toContain(`the trace of the scenario "${name}" with seed 7.`)
  },
)

it('a trace without worlds has none, and many runs are counted', async () => {
  const head = (seed: number): string => {
    return `What happened (scenario "happy-path", seed ${seed}, clock auto):\n`
  }
  expect(await refusal(head(1), 'ann')).toBe('"ci.log" has no worlds. Leave out --world ann.')
  const all = Array.from({ length: 12 }, (_, at) => head(at)).join('')
  expect(await refusal(all)).toContain('"happy-path, seed 9; and 2 more.'.slice(1))
})

it.each([
  ['', 'flaky-gateway', 'node loop.mjs'],
  ['2026-11-30T20:12:02.0Z ', "'flaky-gateway'", "python -c 'print(1)'"],
])(
  'a log without a trace names what it played where it says how to run that again: %j',
  async (start, scenario, program) => {
    const command = `npx svtrain-emulator exec --scenario ${scenario} --seed 5 --clock auto -- ${program}`
    const lines = [
      `${program} exited with code 3.`,
      '',
      'Run it again:',
      `  ${command}`,
      '',
      'Wrote t.txt.',
    ]
    const file = join(temporaryFolder(), 'ci.log')
    writeFileSync(file, lines.map((line) => start + line).join('\n'))
    expect(await readInput(file)).toMatchObject({
      kind: 'played',
      scenario: { name: 'flaky-gateway' },
      seed: 5,
      again: `--clock auto -- ${program}`,
    })
    const own = lines.join('\n').replace(scenario, './mine.yaml')
    expect(await refusal(own)).toContain('is the log of the scenario "./mine.yaml" with seed 5.')
  },
)
