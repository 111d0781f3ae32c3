import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/index.js'
import { builtInScenarioNames } from '../../../src/service/scenario/built-in-scenarios.js'
import { readInput } from '../../../src/tools/recording/read-events.js'
import { writePlayed } from '../../../src/tools/recording/read-played.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

function emulatorOf(scenario: string): Emulator {
  const emulator = createEmulator({ scenario, clock: 'manual' })
  onTestFinished(() => emulator.close())
  return emulator
}

/** What the file of a scenario that is made from a snapshot says of jobs that it plays otherwise. */
async function lossesOf(emulator: Emulator): Promise<readonly string[]> {
  const file = join(temporaryFolder(), 'state.json')
  writeFileSync(file, JSON.stringify(await emulator.snapshot()))
  const input = await readInput(file)
  if (input.kind !== 'played') throw new Error(input.kind)
  const { losses = [] } = input
  // Its lines are folded.
  const text = writePlayed(input, { source: file }).replaceAll('\n# ', ' ')
  for (const each of losses) expect(text).toContain(each)
  return losses.map((each) => each.replaceAll(file, 'state.json'))
}

it.each(builtInScenarioNames)('plays the jobs of %s as they went', async (name) => {
  const emulator = emulatorOf(name)
  for (const kind of ['rl', 'rl', 'sft'] as const) await emulator.jobs.start({ kind })
  emulator.clock.advance('1h')
  expect(await lossesOf(emulator)).toEqual([])
})

it.each<[what: string, act: (emulator: Emulator) => Promise<unknown>]>([
  [
    'failed by hand',
    async ({ jobs }) => {
      jobs.fail(await jobs.start(), 'node preempted')
    },
  ],
  [
    'began under another scenario',
    async (emulator) => {
      await emulator.jobs.start()
      emulator.follow('stuck-job')
    },
  ],
  [
    'had a timeline of its own',
    ({ jobs }) =>
      jobs.start({ timeline: [{ event: 'training_started' }, { event: 'training_ended' }] }),
  ],
])('says that a job %s', async (_what, act) => {
  const emulator = emulatorOf('failing-job')
  emulator.follow('happy-path')
  await act(emulator)
  emulator.clock.advance('1h')
  const id = emulator.job().id.slice(0, 8)
  expect(await lossesOf(emulator)).toEqual([
    `1 job went otherwise than this scenario says: ${id}. Somebody failed it, or it began under another scenario. To have it as it went, start the emulator with --import state.json, save a report, and make the scenario from that.`,
  ])
})

it('says nothing of a job whose model was deleted: its client deletes it again', async () => {
  const emulator = emulatorOf('happy-path')
  const job = await emulator.jobs.start({ model: 'poet' })
  emulator.models.delete('poet')
  expect(job.status).toBe('failed')
  expect(await lossesOf(emulator)).toEqual([])
})
