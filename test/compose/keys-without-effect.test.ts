import { expect, it } from 'vitest'
import { createEmulator, type EmulatorOptions, type ScenarioInput } from '../../src/index.js'

const clock = { mode: 'auto', speed: 10 } as const

it.each<[scenario: Omit<ScenarioInput, 'name'>, options: EmulatorOptions, notes: string[]]>([
  [{ clock: { mode: 'manual' }, seed: 7 }, {}, []],
  [{ clock: { mode: 'manual' }, seed: 7 }, { clock: 'manual', seed: 7 }, []],
  [
    { clock: { mode: 'manual' }, seed: 7 },
    { clock: 'auto', seed: 1 },
    [
      'scenario: clock.mode, manual, has no effect: the option clock is auto',
      'scenario: seed, 7, has no effect: the option seed is 1',
    ],
  ],
  [
    { clock },
    {},
    [
      'scenario: clock.speed, 10, has no effect: the clock is auto, and only a real one has a speed',
    ],
  ],
  [
    { clock },
    { clock: 'real', speed: 20 },
    [
      'scenario: clock.mode, auto, has no effect: the option clock is real',
      'scenario: clock.speed, 10, has no effect: the option speed is 20',
    ],
  ],
])(
  'what a scenario asks for in vain is in the trace: %j with %j',
  async (scenario, options, notes) => {
    const emulator = createEmulator({ ...options, scenario: { name: 'mine', ...scenario } })
    const noted = emulator.journal.entries.flatMap((each) =>
      each.kind === 'note' ? each.text : [],
    )
    await emulator.close()
    expect(noted).toEqual(notes)
  },
)
